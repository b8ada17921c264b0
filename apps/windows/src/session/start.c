#include <wchar.h>

#include "session.h"

#define MAX_ENVIRONMENT 32000
#define FULL_RATE 10000

typedef struct {
  const wchar_t *program;
  const wchar_t *arguments;
  const wchar_t *folder;
  const wchar_t *environment;
  const wchar_t *job;
  long long memoryMb;
  long long processes;
  long long cpuPercent;
} Start;

static bool readStart(const Request *request, Start *start) {
  start->program = findTextField(request, "program");
  start->arguments = findTextField(request, "arguments");
  start->folder = findTextField(request, "folder");
  start->environment = findTextField(request, "environment");
  start->job = findTextField(request, "job");
  return start->program != NULL && start->arguments != NULL && start->folder != NULL && start->environment != NULL &&
         start->job != NULL && (start->job[0] == 0 || isJobName(start->job)) &&
         findNumberField(request, "memory_mb", 0, 1 << 24, &start->memoryMb) &&
         findNumberField(request, "processes", 0, 100000, &start->processes) &&
         findNumberField(request, "cpu_percent", 0, 100000, &start->cpuPercent);
}

static DWORD countProcessors(void) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  return system.dwNumberOfProcessors;
}

/** Windows counts ten-thousandths of the whole machine; people count processors. */
static DWORD toRate(long long cpuPercent) {
  long long rate = cpuPercent * (FULL_RATE / 100) / countProcessors();
  return rate < 1 ? 1 : rate > FULL_RATE ? FULL_RATE : (DWORD)rate;
}

/** A limit that Windows does not accept is an error: without it, one terminal takes what others need. */
static bool limitJob(HANDLE job, const Start *start) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  /* No error report: its dialog would keep a crashed terminal alive. */
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (start->memoryMb > 0) {
    limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
    limits.JobMemoryLimit = (SIZE_T)start->memoryMb * 1024 * 1024;
  }
  if (start->processes > 0) {
    limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    limits.BasicLimitInformation.ActiveProcessLimit = (DWORD)start->processes;
  }
  if (!SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) return false;
  if (start->cpuPercent == 0) return true;
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate = {0};
  rate.ControlFlags = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  rate.CpuRate = toRate(start->cpuPercent);
  return SetInformationJobObject(job, JobObjectCpuRateControlInformation, &rate, sizeof rate);
}

/** The length of a variable's name; names that Windows reserves for itself start with an equals sign. */
static size_t nameLength(const wchar_t *line) {
  const wchar_t *mark = line[0] == 0 ? NULL : wcschr(line + 1, L'=');
  return mark == NULL ? 0 : (size_t)(mark - line);
}

static bool hasName(const wchar_t *lines, const wchar_t *line, size_t length) {
  for (const wchar_t *at = lines; *at != 0;) {
    size_t size = wcscspn(at, L"\n");
    if (nameLength(at) == length && CompareStringOrdinal(at, (int)length, line, (int)length, TRUE) == CSTR_EQUAL) return true;
    at += size + (at[size] == L'\n' ? 1 : 0);
  }
  return false;
}

static bool append(wchar_t *block, size_t *length, const wchar_t *line, size_t size) {
  if (*length + size + 2 > MAX_ENVIRONMENT) return false;
  wmemcpy(block + *length, line, size);
  *length += size;
  block[(*length)++] = 0;
  return true;
}

/** The user's own environment with the given lines, which replace variables of the same names. */
static bool buildEnvironment(const wchar_t *lines, wchar_t *block) {
  size_t length = 0;
  bool isBuilt = true;
  wchar_t *own = GetEnvironmentStringsW();
  if (own == NULL) return false;
  for (const wchar_t *line = own; *line != 0 && isBuilt; line += wcslen(line) + 1) {
    if (!hasName(lines, line, nameLength(line))) isBuilt = append(block, &length, line, wcslen(line));
  }
  FreeEnvironmentStringsW(own);
  for (const wchar_t *line = lines; *line != 0 && isBuilt;) {
    size_t size = wcscspn(line, L"\n");
    if (nameLength(line) == 0) return false;
    isBuilt = append(block, &length, line, size);
    line += size + (line[size] == L'\n' ? 1 : 0);
  }
  block[length] = 0;
  return isBuilt;
}

static Refusal refuseStart(DWORD code) {
  switch (code) {
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_NOT_ENOUGH_QUOTA:
      return refuseWithCode("memory", L"This machine has no room for another program", code);
    default:
      return refuseWithCode("missing", L"Windows does not start the terminal's program; install it again", code);
  }
}

/**
 * Started outside of the job that the session helper itself may be in: a Windows task has one, and terminals outlive
 * it. Where that is not allowed, inside.
 */
static bool createProcess(const Start *start, wchar_t *environment, PROCESS_INFORMATION *process) {
  static wchar_t arguments[MAX_TEXT + 1];
  STARTUPINFOW window = {.cb = sizeof window};
  DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT;
  for (int tries = 0; tries < 2; tries++) {
    wcscpy(arguments, start->arguments);
    DWORD breakaway = tries == 0 ? CREATE_BREAKAWAY_FROM_JOB : 0;
    if (CreateProcessW(start->program, arguments, NULL, NULL, FALSE, flags | breakaway, environment, start->folder,
                       &window, process)) {
      return true;
    }
    if (GetLastError() != ERROR_ACCESS_DENIED) return false;
  }
  return false;
}

/** A program that Windows knows by another path, because of a link, would not be found again by the given one. */
static bool isKnownByPath(HANDLE process, const wchar_t *path) {
  wchar_t known[MAX_FILE_PATH];
  DWORD size = MAX_FILE_PATH;
  return QueryFullProcessImageNameW(process, 0, known, &size) && CompareStringOrdinal(known, -1, path, -1, TRUE) == CSTR_EQUAL;
}

/** Puts a suspended process into its job, and makes the job's name last as long as the process. */
static bool joinJob(HANDLE process, HANDLE job) {
  HANDLE theirs;
  return AssignProcessToJobObject(job, process) &&
         DuplicateHandle(GetCurrentProcess(), job, process, &theirs, JOB_OBJECT_QUERY, FALSE, 0);
}

Refusal startProgram(const Request *request, Answer *answer) {
  static wchar_t environment[MAX_ENVIRONMENT + 1];
  Start start;
  PROCESS_INFORMATION process = {0};
  HANDLE job = NULL;
  if (!readStart(request, &start)) {
    return REFUSE("invalid_request", L"The operation \"start\" lacks a member, or one has a value out of its bounds.");
  }
  if (!buildEnvironment(start.environment, environment)) {
    return REFUSE("invalid_request", L"The environment of a start is lines of NAME=value, and not too long.");
  }
  if (start.job[0] != 0) {
    job = ensureJob(start.job);
    if (job == NULL) return refuseWithCode("failed", L"Windows makes no job for the terminal", GetLastError());
    if (!limitJob(job, &start)) {
      return refuseWithCode("missing", L"This Windows does not take the limits of a terminal; set them to 0", GetLastError());
    }
  }
  forgetProcesses();
  if (!createProcess(&start, environment, &process)) return refuseStart(GetLastError());
  Refusal refusal = DONE;
  if (!isKnownByPath(process.hProcess, start.program)) {
    refusal = REFUSE("missing", L"Windows knows the terminal's program by another path; set BERTH_AGENT_DIR to that.");
  } else if (job != NULL && !joinJob(process.hProcess, job)) {
    refusal = refuseWithCode("failed", L"Windows does not put the terminal into its job", GetLastError());
  }
  if (refusal.error == NULL) {
    putNumberMember(answer, "pid", process.dwProcessId);
    putCreation(answer, findCreation(process.hProcess));
    ResumeThread(process.hThread);
  } else {
    TerminateProcess(process.hProcess, 1);
  }
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  return refusal;
}
