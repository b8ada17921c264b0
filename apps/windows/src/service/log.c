#include <stdio.h>
#include <wchar.h>

#include "service.h"

/** Of one file; there are two. */
#define MAX_LOG_BYTES (10 * 1024 * 1024)
#define MAX_FOLDER 400

static wchar_t path[MAX_FOLDER + 32];
static wchar_t earlierPath[MAX_FOLDER + 32];
static HANDLE file = INVALID_HANDLE_VALUE;
static LONGLONG length;

static bool openFile(void) {
  LARGE_INTEGER size = {0};
  file = CreateFileW(path, FILE_APPEND_DATA | FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_ALWAYS,
                     FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  length = GetFileSizeEx(file, &size) ? size.QuadPart : 0;
  return true;
}

bool openLog(const wchar_t *folder) {
  if (wcslen(folder) > MAX_FOLDER) return false;
  _snwprintf(path, MAX_FOLDER + 32, L"%ls\\agent.log", folder);
  _snwprintf(earlierPath, MAX_FOLDER + 32, L"%ls\\agent.log.1", folder);
  return openFile();
}

void writeLog(const char *bytes, DWORD size) {
  DWORD count = 0;
  if (file != INVALID_HANDLE_VALUE && length + size > MAX_LOG_BYTES) {
    CloseHandle(file);
    MoveFileExW(path, earlierPath, MOVEFILE_REPLACE_EXISTING);
    openFile();
  }
  /* A full disk costs lines of the log, but not the agent. */
  if (file != INVALID_HANDLE_VALUE && WriteFile(file, bytes, size, &count, NULL)) length += count;
}
