#include <wchar.h>

#include "../window/answer-file.h"
#include "session.h"

#define MAX_FOLDER 200
#define MAX_NAME 64
/** More files than all agents of a machine can have requested; any beyond that wait. */
#define MAX_ENTRIES 20000
/** Even without a notification, as some kinds of folders send none. */
#define LOOK_MS 500
/** Agents take back requests that nobody took within 10 s: older ones were left by a killed agent. */
#define MAX_AGE_MS 30000
/** The most that hanging windows can block. */
#define MAX_HELPERS 8
/** Longer than another run of this program ever takes. */
#define HELPER_MS 40000

typedef struct {
  HANDLE process;
  ULONGLONG endsAt;
  wchar_t request[MAX_FILE_PATH];
  wchar_t answer[MAX_FILE_PATH];
} Helper;

typedef struct {
  const wchar_t *folder;
  wchar_t program[MAX_FILE_PATH];
  Helper helpers[MAX_HELPERS];
  DWORD helperCount;
} Service;

/** A request that waits: its name without the kind. */
typedef struct {
  wchar_t name[MAX_NAME + 1];
  bool isOfWindows;
} Waiting;

/** The kind, after the name; NULL for anything but a request. */
static const wchar_t *findKind(const WIN32_FIND_DATAW *entry) {
  size_t length = wcsspn(entry->cFileName, L"abcdefghijklmnopqrstuvwxyz0123456789-");
  const wchar_t *kind = entry->cFileName + length;
  bool isFile = (entry->dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) == 0;
  bool isKind = wcscmp(kind, L".session") == 0 || wcscmp(kind, L".window") == 0;
  return isFile && isKind && length > 0 && length <= MAX_NAME ? kind : NULL;
}

static ULONGLONG toMs(const FILETIME *time) {
  return (((ULONGLONG)time->dwHighDateTime << 32) | time->dwLowDateTime) / 10000;
}

static bool isOld(const WIN32_FIND_DATAW *entry) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return toMs(&now) > toMs(&entry->ftLastWriteTime) + MAX_AGE_MS;
}

static void toPath(const Service *service, const wchar_t *name, const wchar_t *ending, wchar_t *path) {
  _snwprintf(path, MAX_FILE_PATH, L"%ls\\%ls%ls", service->folder, name, ending);
  path[MAX_FILE_PATH - 1] = 0;
}

/** The next request after the given name that can be carried out now. Removes old ones on the way. */
static bool findNext(const Service *service, const wchar_t *after, Waiting *next) {
  wchar_t path[MAX_FILE_PATH];
  WIN32_FIND_DATAW entry;
  bool isFound = false;
  toPath(service, L"*", L"", path);
  HANDLE search = FindFirstFileW(path, &entry);
  if (search == INVALID_HANDLE_VALUE) return false;
  for (int count = 0; count < MAX_ENTRIES; count++) {
    const wchar_t *kind = findKind(&entry);
    bool isOfWindows = kind != NULL && kind[1] == L'w';
    if (kind != NULL && isOld(&entry)) {
      toPath(service, entry.cFileName, L"", path);
      DeleteFileW(path);
    } else if (kind != NULL && !(isOfWindows && service->helperCount == MAX_HELPERS)) {
      wchar_t name[MAX_NAME + 1] = L"";
      wcsncpy(name, entry.cFileName, (size_t)(kind - entry.cFileName));
      if (wcscmp(name, after) > 0 && (!isFound || wcscmp(name, next->name) < 0)) {
        wcscpy(next->name, name);
        next->isOfWindows = isOfWindows;
        isFound = true;
      }
    }
    if (!FindNextFileW(search, &entry)) break;
  }
  FindClose(search);
  return isFound;
}

static void startHelper(Service *service, const wchar_t *request, const wchar_t *answer) {
  wchar_t line[3 * MAX_FILE_PATH];
  STARTUPINFOW window = {.cb = sizeof window};
  PROCESS_INFORMATION process;
  Helper *helper = &service->helpers[service->helperCount];
  _snwprintf(line, 3 * MAX_FILE_PATH, L"\"%ls\" \"%ls\" \"%ls\"", service->program, request, answer);
  line[3 * MAX_FILE_PATH - 1] = 0;
  if (!CreateProcessW(service->program, line, NULL, NULL, FALSE, 0, NULL, service->folder, &window, &process)) {
    writeRefusal(answer, REFUSE("failed", L"The machine has no room for another program."));
    DeleteFileW(request);
    return;
  }
  CloseHandle(process.hThread);
  helper->process = process.hProcess;
  helper->endsAt = GetTickCount64() + HELPER_MS;
  wcscpy(helper->request, request);
  wcscpy(helper->answer, answer);
  service->helperCount++;
}

/** A request may be taken by somebody else in the meantime, for example by its agent. */
static void carryOut(Service *service, const Waiting *waiting) {
  wchar_t path[MAX_FILE_PATH], taken[MAX_FILE_PATH], answer[MAX_FILE_PATH];
  const wchar_t *kind = waiting->isOfWindows ? L".window" : L".session";
  toPath(service, waiting->name, kind, path);
  toPath(service, waiting->name, waiting->isOfWindows ? L".window.taken" : L".session.taken", taken);
  toPath(service, waiting->name, L".answer", answer);
  if (!MoveFileExW(path, taken, MOVEFILE_REPLACE_EXISTING)) return;
  if (waiting->isOfWindows) {
    startHelper(service, taken, answer);
    return;
  }
  forgetProcesses();
  answerRequestFile(taken, answer);
  DeleteFileW(taken);
}

/** Collects runs that have ended, and ends those that should have. */
static void endHelpers(Service *service) {
  for (DWORD index = 0; index < service->helperCount;) {
    Helper *helper = &service->helpers[index];
    bool hasEnded = WaitForSingleObject(helper->process, 0) == WAIT_OBJECT_0;
    if (!hasEnded && GetTickCount64() < helper->endsAt) {
      index++;
      continue;
    }
    if (!hasEnded) {
      TerminateProcess(helper->process, 1);
      writeRefusal(helper->answer, NO_ANSWER);
    }
    CloseHandle(helper->process);
    DeleteFileW(helper->request);
    *helper = service->helpers[--service->helperCount];
  }
}

static void carryOutAll(Service *service) {
  Waiting next = {L"", false};
  wchar_t after[MAX_NAME + 1] = L"";
  while (findNext(service, after, &next)) {
    wcscpy(after, next.name);
    carryOut(service, &next);
    endHelpers(service);
  }
}

/** Only one program watches a folder: the file lasts as long as the program that opened it. */
static HANDLE lockFolder(const wchar_t *folder) {
  wchar_t path[MAX_FILE_PATH];
  _snwprintf(path, MAX_FILE_PATH, L"%ls\\session.lock", folder);
  path[MAX_FILE_PATH - 1] = 0;
  return CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

int serveSession(const wchar_t *folder) {
  static Service service;
  HANDLE handles[MAX_HELPERS + 1];
  if (wcslen(folder) > MAX_FOLDER) return 1;
  service.folder = folder;
  GetModuleFileNameW(NULL, service.program, MAX_FILE_PATH - 1);
  HANDLE lock = lockFolder(folder);
  if (lock == INVALID_HANDLE_VALUE) return GetLastError() == ERROR_SHARING_VIOLATION ? 3 : 1;
  /*
   * Under Wine the first program that needs the desktop starts it: that must not be a terminal, in whose job it would
   * end.
   */
  GetDesktopWindow();
  HANDLE change = FindFirstChangeNotificationW(folder, FALSE, FILE_NOTIFY_CHANGE_FILE_NAME);
  for (;;) {
    DWORD count = 0;
    /* Before the look: changes during it are then signalled afterwards. */
    if (change != INVALID_HANDLE_VALUE) FindNextChangeNotification(change);
    endHelpers(&service);
    carryOutAll(&service);
    if (change != INVALID_HANDLE_VALUE) handles[count++] = change;
    for (DWORD index = 0; index < service.helperCount; index++) handles[count++] = service.helpers[index].process;
    if (count == 0) {
      Sleep(LOOK_MS);
    } else {
      WaitForMultipleObjects(count, handles, FALSE, LOOK_MS);
    }
  }
}
