/**
 * setup.exe /auto /path:C:\folder: imitates a broker's setup program in the tests. Like a real one it forks and ends at
 * once, its successor installs the terminal and starts it at the end. The terminal is the tail of this very file: its
 * bytes, their number (8 bytes), and a mark.
 *
 * Exit codes: 0 the successor has taken over, 1 it could not be started, 3 this file has no terminal in its tail, 4 it
 * cannot show its pages.
 */
#include <windows.h>
#include <shellapi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MARK "BERTH-TERMINAL"
/** The same length, for an installer that does nothing on its first try. */
#define STALLING_MARK "BERTH-STALLING"
#define STALLED L"C:\\stalled"
/** The same length, for an installer that shows web pages, and fails where it cannot. */
#define PAGES_MARK "BERTH-HAS-PAGE"
#define MARK_BYTES (sizeof MARK - 1)
#define SUCCESSOR L"/successor"
#define PATH_SWITCH L"/path:"
#define MAX_PATH_TEXT 1024
/** How long a download may take, during which nothing happens. */
#define DOWNLOAD_MS 1500

static bool stallsFirst, showsPages;

static HANDLE openSelf(void) {
  wchar_t path[MAX_PATH_TEXT];
  GetModuleFileNameW(NULL, path, MAX_PATH_TEXT);
  return CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
}

static bool readAt(HANDLE file, int64_t place, void *bytes, DWORD count) {
  LARGE_INTEGER target = {.QuadPart = place};
  DWORD done = 0;
  return SetFilePointerEx(file, target, NULL, FILE_BEGIN) && ReadFile(file, bytes, count, &done, NULL) && done == count;
}

/** Where the terminal begins in this file, and how long it is. False where there is none. */
static bool findTerminal(HANDLE file, int64_t *place, uint64_t *length) {
  LARGE_INTEGER size;
  char mark[MARK_BYTES];
  if (!GetFileSizeEx(file, &size)) return false;
  int64_t end = size.QuadPart - (int64_t)(MARK_BYTES + sizeof *length);
  if (end < 0 || !readAt(file, end + (int64_t)sizeof *length, mark, MARK_BYTES)) return false;
  stallsFirst = memcmp(mark, STALLING_MARK, MARK_BYTES) == 0;
  showsPages = memcmp(mark, PAGES_MARK, MARK_BYTES) == 0;
  if ((memcmp(mark, MARK, MARK_BYTES) != 0 && !stallsFirst && !showsPages) || !readAt(file, end, length, sizeof *length)) return false;
  *place = end - (int64_t)*length;
  return *place >= 0;
}

static bool copyTerminal(HANDLE from, int64_t place, uint64_t length, const wchar_t *path) {
  static char bytes[64 * 1024];
  HANDLE to = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
  if (to == INVALID_HANDLE_VALUE) return false;
  bool isFine = true;
  for (uint64_t done = 0; isFine && done < length;) {
    DWORD count = (DWORD)(length - done < sizeof bytes ? length - done : sizeof bytes);
    DWORD written = 0;
    isFine = readAt(from, place + (int64_t)done, bytes, count) && WriteFile(to, bytes, count, &written, NULL);
    done += written;
  }
  CloseHandle(to);
  return isFine;
}

static bool start(const wchar_t *program, wchar_t *command, const wchar_t *folder) {
  STARTUPINFOW how = {.cb = sizeof how};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(program, command, NULL, NULL, FALSE, 0, NULL, folder, &how, &process)) return false;
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  return true;
}

/** Windows' library for pages may be used, and its requirement, the package of src/package, is installed. */
static bool canShowPages(void) {
  wchar_t text[8];
  DWORD size = sizeof text;
  bool isInstalled = RegGetValueW(HKEY_CURRENT_USER, L"Software\\Berth", L"Pages", RRF_RT_REG_SZ, NULL, text, &size) == 0;
  return isInstalled && LoadLibraryW(L"mshtml.dll") != NULL;
}

static int install(const wchar_t *folder) {
  wchar_t path[MAX_PATH_TEXT], command[MAX_PATH_TEXT + 2];
  int64_t place;
  uint64_t length;
  HANDLE self = openSelf();
  if (self == INVALID_HANDLE_VALUE || !findTerminal(self, &place, &length)) return 3;
  /* As some do at times; the next try works. */
  if (stallsFirst && GetFileAttributesW(STALLED) == INVALID_FILE_ATTRIBUTES) {
    CloseHandle(CreateFileW(STALLED, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL));
    Sleep(INFINITE);
  }
  if (showsPages && !canShowPages()) return 4;
  Sleep(DOWNLOAD_MS);
  CreateDirectoryW(folder, NULL);
  swprintf(path, MAX_PATH_TEXT, L"%ls\\terminal64.exe", folder);
  swprintf(command, MAX_PATH_TEXT + 2, L"\"%ls\"", path);
  bool isFine = copyTerminal(self, place, length, path);
  CloseHandle(self);
  return isFine && start(path, command, folder) ? 0 : 1;
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, wchar_t *line, int show) {
  (void)instance, (void)previous, (void)line, (void)show;
  int count;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
  const wchar_t *folder = L"C:\\Program Files\\Terminal";
  bool isSuccessor = false;
  for (int index = 1; index < count; index++) {
    if (wcscmp(words[index], SUCCESSOR) == 0) isSuccessor = true;
    if (wcsncmp(words[index], PATH_SWITCH, wcslen(PATH_SWITCH)) == 0) folder = words[index] + wcslen(PATH_SWITCH);
  }
  if (isSuccessor) return install(folder);
  int64_t place;
  uint64_t length;
  HANDLE self = openSelf();
  if (self == INVALID_HANDLE_VALUE || !findTerminal(self, &place, &length)) return 3;
  CloseHandle(self);
  wchar_t path[MAX_PATH_TEXT], command[2 * MAX_PATH_TEXT];
  GetModuleFileNameW(NULL, path, MAX_PATH_TEXT);
  swprintf(command, 2 * MAX_PATH_TEXT, L"\"%ls\" " SUCCESSOR L" \"" PATH_SWITCH L"%ls\"", path, folder);
  return start(path, command, NULL) ? 0 : 1;
}
