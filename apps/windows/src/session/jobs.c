#include <string.h>
#include <wchar.h>

#include "session.h"

#define MAX_JOB_NAME 40
#define MAX_JOBS 512

/**
 * A job's name lasts as long as somebody holds it open. This program does, while it runs; in addition, each terminal
 * gets a handle to its own job when it is started, so that a later session helper finds the job by its name.
 */
static struct {
  wchar_t name[MAX_JOB_NAME + 1];
  HANDLE handle;
} jobs[MAX_JOBS];
static size_t jobCount;

bool isJobName(const wchar_t *name) {
  size_t length = wcslen(name);
  return length > 0 && length <= MAX_JOB_NAME && wcsspn(name, L"abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool isEmpty(HANDLE job) {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION facts;
  return QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &facts, sizeof facts, NULL) &&
         facts.ActiveProcesses == 0;
}

static HANDLE keepJob(const wchar_t *name, HANDLE handle) {
  for (size_t index = 0; index < jobCount;) {
    if (isEmpty(jobs[index].handle)) {
      CloseHandle(jobs[index].handle);
      jobs[index] = jobs[--jobCount];
    } else {
      index++;
    }
  }
  if (jobCount == MAX_JOBS) {
    CloseHandle(handle);
    return NULL;
  }
  wcscpy(jobs[jobCount].name, name);
  jobs[jobCount++].handle = handle;
  return handle;
}

static HANDLE findKeptJob(const wchar_t *name) {
  for (size_t index = 0; index < jobCount; index++) {
    if (wcscmp(jobs[index].name, name) == 0) return jobs[index].handle;
  }
  return NULL;
}

static void toSystemName(const wchar_t *name, wchar_t *full) {
  wcscpy(full, L"Local\\");
  wcscat(full, name);
}

HANDLE findJob(const wchar_t *name) {
  wchar_t full[MAX_JOB_NAME + 8];
  HANDLE kept = findKeptJob(name);
  if (kept != NULL || !isJobName(name)) return kept;
  toSystemName(name, full);
  HANDLE handle = OpenJobObjectW(JOB_OBJECT_QUERY | JOB_OBJECT_TERMINATE, FALSE, full);
  return handle == NULL ? NULL : keepJob(name, handle);
}

HANDLE ensureJob(const wchar_t *name) {
  wchar_t full[MAX_JOB_NAME + 8];
  HANDLE kept = findKeptJob(name);
  if (!isJobName(name)) return NULL;
  toSystemName(name, full);
  /* The cached handle may have been opened with fewer rights than a start needs. */
  HANDLE handle = CreateJobObjectW(NULL, full);
  if (handle == NULL) return NULL;
  if (kept == NULL) return keepJob(name, handle);
  for (size_t index = 0; index < jobCount; index++) {
    if (jobs[index].handle == kept) jobs[index].handle = handle;
  }
  CloseHandle(kept);
  return handle;
}

Refusal endJob(const Request *request, Answer *answer) {
  const wchar_t *name = findTextField(request, "job");
  (void)answer;
  if (name == NULL || !isJobName(name)) {
    return REFUSE("invalid_request", L"The operation \"end_job\" needs the member \"job\".");
  }
  HANDLE job = findJob(name);
  forgetProcesses();
  if (job == NULL || TerminateJobObject(job, 1)) return DONE;
  return refuseWithCode("failed", L"Windows does not end the job", GetLastError());
}
