#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (4 * 1024 * 1024)

static void reserve(Text *text, size_t more) {
  size_t needed = text->length + more + 1;
  if (needed <= text->capacity) return;
  text->capacity = needed * 2;
  text->chars = realloc(text->chars, text->capacity * sizeof(wchar_t));
  if (text->chars == NULL) ExitProcess(1);
}

void addText(Text *text, const wchar_t *more) {
  size_t count = wcslen(more);
  reserve(text, count);
  memcpy(text->chars + text->length, more, (count + 1) * sizeof(wchar_t));
  text->length += count;
}

void addFormat(Text *text, const wchar_t *format, ...) {
  wchar_t piece[MAX_LINE];
  va_list arguments;
  va_start(arguments, format);
  _vsnwprintf(piece, MAX_LINE - 1, format, arguments);
  va_end(arguments);
  piece[MAX_LINE - 1] = 0;
  addText(text, piece);
}

void clearText(Text *text) {
  text->length = 0;
  if (text->chars != NULL) text->chars[0] = 0;
}

void freeText(Text *text) {
  free(text->chars);
  memset(text, 0, sizeof *text);
}

void copyName(wchar_t *to, const wchar_t *from) {
  wcsncpy(to, from, MAX_NAME - 1);
  to[MAX_NAME - 1] = 0;
}

bool isSame(const wchar_t *a, const wchar_t *b) { return _wcsicmp(a, b) == 0; }

static char *toBytes(UINT page, const wchar_t *text) {
  int count = WideCharToMultiByte(page, 0, text, -1, NULL, 0, NULL, NULL);
  char *bytes = malloc((size_t)count + 1);
  if (bytes == NULL) ExitProcess(1);
  WideCharToMultiByte(page, 0, text, -1, bytes, count, NULL, NULL);
  return bytes;
}

char *toUtf8(const wchar_t *text) { return toBytes(CP_UTF8, text); }

void fromUtf8(wchar_t *to, size_t max, const char *from) {
  to[0] = 0;
  if (MultiByteToWideChar(CP_UTF8, 0, from, -1, to, (int)max) == 0) to[max - 1] = 0;
}

static void decode(const char *bytes, int count, Text *text) {
  UINT page = CP_UTF8;
  if (count >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0) {
    size_t units = (size_t)(count - 2) / sizeof(wchar_t);
    reserve(text, units);
    memcpy(text->chars, bytes + 2, units * sizeof(wchar_t));
    text->chars[units] = 0;
    text->length = wcslen(text->chars);
    return;
  }
  if (count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3, count -= 3;
  if (count > 0 && MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, bytes, count, NULL, 0) == 0) page = CP_ACP;
  reserve(text, (size_t)count);
  int units = count > 0 ? MultiByteToWideChar(page, 0, bytes, count, text->chars, count) : 0;
  text->chars[units] = 0;
  text->length = wcslen(text->chars);
}

bool readTextFile(const wchar_t *path, Text *text) {
  DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  DWORD read = 0;
  clearText(text);
  HANDLE file = CreateFileW(path, GENERIC_READ, sharing, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD size = GetFileSize(file, NULL);
  char *bytes = size <= MAX_FILE_BYTES ? malloc(size + 1) : NULL;
  bool isRead = bytes != NULL && ReadFile(file, bytes, size, &read, NULL);
  if (isRead) decode(bytes, (int)read, text);
  free(bytes);
  CloseHandle(file);
  return isRead;
}

static void writeAll(HANDLE file, const Text *text, bool isWide) {
  DWORD written = 0;
  if (text->length == 0) return;
  if (isWide) {
    WriteFile(file, text->chars, (DWORD)(text->length * sizeof(wchar_t)), &written, NULL);
    return;
  }
  char *bytes = toBytes(CP_ACP, text->chars);
  WriteFile(file, bytes, (DWORD)strlen(bytes), &written, NULL);
  free(bytes);
}

static bool openAndWrite(const wchar_t *path, const Text *text, bool isWide, DWORD access, DWORD disposition) {
  DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  DWORD written = 0;
  makeFolderOf(path);
  HANDLE file = CreateFileW(path, access, sharing, NULL, disposition, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  if (isWide && GetFileSize(file, NULL) == 0) WriteFile(file, "\xff\xfe", 2, &written, NULL);
  writeAll(file, text, isWide);
  CloseHandle(file);
  return true;
}

bool writeTextFile(const wchar_t *path, const Text *text, bool isWide) {
  return openAndWrite(path, text, isWide, GENERIC_WRITE, CREATE_ALWAYS);
}

void appendTextFile(const wchar_t *path, const Text *text, bool isWide) {
  openAndWrite(path, text, isWide, FILE_APPEND_DATA | FILE_READ_ATTRIBUTES, OPEN_ALWAYS);
}

void makeFolderOf(const wchar_t *path) {
  wchar_t folder[MAX_NAME];
  copyName(folder, path);
  for (wchar_t *at = wcschr(folder, L'\\'); at != NULL; at = wcschr(at + 1, L'\\')) {
    *at = 0;
    CreateDirectoryW(folder, NULL);
    *at = L'\\';
  }
}

bool fileExists(const wchar_t *path) { return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES; }

bool nextLine(const wchar_t **at, wchar_t *line) {
  const wchar_t *from = *at;
  if (from == NULL || *from == 0) return false;
  size_t length = wcscspn(from, L"\r\n");
  const wchar_t *end = from + length;
  *at = end[0] == L'\r' && end[1] == L'\n' ? end + 2 : end[0] == 0 ? end : end + 1;
  while (length > 0 && (from[0] == L' ' || from[0] == L'\t')) from++, length--;
  while (length > 0 && (from[length - 1] == L' ' || from[length - 1] == L'\t')) length--;
  if (length > MAX_LINE - 1) length = MAX_LINE - 1;
  memcpy(line, from, length * sizeof(wchar_t));
  line[length] = 0;
  return true;
}

void joinPath(wchar_t *path, const wchar_t *folder, const wchar_t *name) {
  _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls", folder, name);
  path[MAX_NAME - 1] = 0;
  for (wchar_t *at = path; *at != 0; at++) {
    if (*at == L'/') *at = L'\\';
  }
}

bool isInside(const wchar_t *path) { return wcsstr(path, L"..") == NULL && wcschr(path, L':') == NULL; }
