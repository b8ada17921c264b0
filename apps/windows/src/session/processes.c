#include <windows.h>
/* After the types that they use. */
#include <psapi.h>
#include <tlhelp32.h>
#include <wchar.h>

#include "session.h"

/** The most processes of this user that are inspected, and the most that one answer lists. */
#define MAX_PROCESSES 1024
/** How long an ended process may take to disappear before the answer reports that it has not. */
#define END_MS 2000

typedef struct {
  DWORD pid;
  ULONGLONG created;
  ULONGLONG memoryBytes;
  ULONGLONG cpuMs;
  wchar_t path[MAX_FILE_PATH];
} Process;

/** One walk, shared by all questions of one request file. */
static Process processes[MAX_PROCESSES];
static size_t processCount;
static bool isWalked;
static bool isCut;

void forgetProcesses(void) { isWalked = false; }

Refusal refuseWithCode(const char *error, const wchar_t *message, DWORD code) {
  static wchar_t text[512];
  _snwprintf(text, 511, L"%ls (error %lu).", message, (unsigned long)code);
  return REFUSE(error, text);
}

static ULONGLONG toUnits(const FILETIME *time) {
  return ((ULONGLONG)time->dwHighDateTime << 32) | time->dwLowDateTime;
}

ULONGLONG findCreation(HANDLE process) {
  FILETIME created, ended, kernel, user;
  return GetProcessTimes(process, &created, &ended, &kernel, &user) ? toUnits(&created) : 0;
}

void putCreation(Answer *answer, ULONGLONG creation) {
  wchar_t digits[32];
  _snwprintf(digits, 31, L"%llu", creation);
  digits[31] = 0;
  putTextMember(answer, "created", digits);
}

/** False for another user's process, and for one that has ended. */
static bool readProcess(DWORD pid, Process *process) {
  FILETIME created, ended, kernel, user;
  PROCESS_MEMORY_COUNTERS_EX memory = {.cb = sizeof memory};
  DWORD code = 0;
  DWORD size = MAX_FILE_PATH;
  HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
  if (handle == NULL) return false;
  bool isRead = GetExitCodeProcess(handle, &code) && code == STILL_ACTIVE &&
                GetProcessTimes(handle, &created, &ended, &kernel, &user) &&
                QueryFullProcessImageNameW(handle, 0, process->path, &size);
  if (isRead) {
    process->pid = pid;
    process->created = toUnits(&created);
    process->cpuMs = (toUnits(&kernel) + toUnits(&user)) / 10000;
    bool isMeasured = GetProcessMemoryInfo(handle, (PROCESS_MEMORY_COUNTERS *)&memory, sizeof memory);
    process->memoryBytes = isMeasured ? memory.WorkingSetSize : 0;
  }
  CloseHandle(handle);
  return isRead;
}

static void walk(void) {
  PROCESSENTRY32W entry = {.dwSize = sizeof entry};
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  processCount = 0;
  isCut = snapshot == INVALID_HANDLE_VALUE;
  isWalked = !isCut;
  if (isCut) return;
  for (BOOL isThere = Process32FirstW(snapshot, &entry); isThere; isThere = Process32NextW(snapshot, &entry)) {
    if (processCount == MAX_PROCESSES) {
      isCut = true;
      break;
    }
    if (readProcess(entry.th32ProcessID, &processes[processCount])) processCount++;
  }
  CloseHandle(snapshot);
}

/** A path that ends in a backslash is a folder, and matches everything below it. */
static bool isAtPath(const wchar_t *path, const wchar_t *asked) {
  int length = (int)wcslen(asked);
  if (length == 0 || (int)wcslen(path) < length) return false;
  if (asked[length - 1] != L'\\' && path[length] != 0) return false;
  return CompareStringOrdinal(path, length, asked, length, TRUE) == CSTR_EQUAL;
}

typedef struct {
  JOBOBJECT_BASIC_PROCESS_ID_LIST list;
  ULONG_PTR others[MAX_JOB_PROCESSES];
} JobProcesses;

static bool isInJob(const JobProcesses *job, DWORD pid) {
  for (DWORD index = 0; index < job->list.NumberOfProcessIdsInList; index++) {
    if ((&job->list.ProcessIdList[0])[index] == pid) return true;
  }
  return false;
}

/** False where there are more than fit the list. */
static bool readJob(const wchar_t *name, JobProcesses *job) {
  HANDLE handle = name == NULL ? NULL : findJob(name);
  job->list.NumberOfProcessIdsInList = 0;
  return handle == NULL || QueryInformationJobObject(handle, JobObjectBasicProcessIdList, job, sizeof *job, NULL);
}

static void putProcess(Answer *answer, const Process *process) {
  putOpening(answer, '{');
  putNumberMember(answer, "pid", process->pid);
  putCreation(answer, process->created);
  putTextMember(answer, "path", process->path);
  putNumberMember(answer, "memory_bytes", (long long)process->memoryBytes);
  putNumberMember(answer, "cpu_ms", (long long)process->cpuMs);
  putClosing(answer, '}');
}

Refusal listProcesses(const Request *request, Answer *answer) {
  static JobProcesses job;
  const wchar_t *path = findTextField(request, "path");
  if (path == NULL) return REFUSE("invalid_request", L"The operation \"processes\" needs the member \"path\".");
  bool isTruncated = !readJob(findTextField(request, "job"), &job);
  if (!isWalked) walk();
  if (!isWalked) return refuseWithCode("failed", L"Windows does not list processes", GetLastError());
  size_t count = 0;
  putKey(answer, "processes");
  putOpening(answer, '[');
  for (size_t index = 0; index < processCount; index++) {
    const Process *process = &processes[index];
    size_t place = placeOf(answer);
    if (!isAtPath(process->path, path) && !isInJob(&job, process->pid)) continue;
    if (count == MAX_ITEMS) isTruncated = true;
    if (count == MAX_ITEMS) break;
    putProcess(answer, process);
    if (isOverfull(answer)) {
      returnTo(answer, place);
      isTruncated = true;
      break;
    }
    count++;
  }
  putClosing(answer, ']');
  if (isTruncated || isCut) putBoolMember(answer, "truncated", true);
  return DONE;
}

/** Ends a process by force, if it is still the one that was created then. One that is gone counts as ended. */
Refusal endProcess(const Request *request, Answer *answer) {
  long long pid = 0;
  const wchar_t *created = findTextField(request, "created");
  if (created == NULL || !findNumberField(request, "pid", 1, 0xffffffffLL, &pid)) {
    return REFUSE("invalid_request", L"The operation \"end\" needs the members \"pid\" and \"created\".");
  }
  forgetProcesses();
  DWORD rights = PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE;
  HANDLE process = OpenProcess(rights, FALSE, (DWORD)pid);
  if (process == NULL && GetLastError() != ERROR_INVALID_PARAMETER) {
    return refuseWithCode("failed", L"Windows does not let this user end the process", GetLastError());
  }
  bool isEnded = process == NULL || findCreation(process) != wcstoull(created, NULL, 10);
  if (!isEnded) {
    TerminateProcess(process, 1);
    isEnded = WaitForSingleObject(process, END_MS) == WAIT_OBJECT_0;
  }
  if (process != NULL) CloseHandle(process);
  putBoolMember(answer, "ended", isEnded);
  return DONE;
}
