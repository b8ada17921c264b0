/**
 * metaeditor64.exe /compile:C:\x.mq5 /log:C:\x.log: stands in for MetaTrader's compiler in the tests of hosts. It compiles
 * nothing, and its log says so: the program that it "makes" is the file of the same name in its folder `simulated`, which
 * was built from the same source as C++, or a few bytes of text where there is none.
 *
 * It keeps to what is known of the real one: errors go to a log in UTF-16, without the library (MQL5\Include) nothing
 * compiles, an included file must be there, paths have no blanks, and the exit code says nothing: here 1 for a success and
 * 0 for a failure. A brace too many or too few is an error of the language.
 */
#include <windows.h>
#include <shellapi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define MAX_PATH_TEXT 1024
#define MAX_LOG 16384
#define MAX_SOURCE (1024 * 1024)

static wchar_t written[MAX_LOG];
static int errors;

static void add(const wchar_t *path, const wchar_t *text) {
  size_t length = wcslen(written);
  _snwprintf(written + length, MAX_LOG - length - 1, L"%ls : %ls\r\n", path, text);
}

static void fail(const wchar_t *path, const wchar_t *text) {
  errors++;
  add(path, text);
}

static bool isThere(const wchar_t *path) { return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES; }

static char *readSource(const wchar_t *path) {
  FILE *file = _wfopen(path, L"rb");
  if (file == NULL) return NULL;
  char *text = calloc(1, MAX_SOURCE + 1);
  if (text != NULL) text[fread(text, 1, MAX_SOURCE, file)] = 0;
  fclose(file);
  return text;
}

static void folderOf(wchar_t *folder, const wchar_t *path) {
  wcsncpy(folder, path, MAX_PATH_TEXT - 1);
  wchar_t *end = wcsrchr(folder, L'\\');
  if (end != NULL) end[1] = 0;
}

/** Braces and included files, as far as a reader of lines sees them. */
static void check(const wchar_t *path, int depth) {
  wchar_t folder[MAX_PATH_TEXT], message[MAX_PATH_TEXT], included[MAX_PATH_TEXT];
  char name[256];
  int braces = 0;
  bool isQuoted = false;
  char *text = readSource(path);
  if (text == NULL || depth > 8) {
    fail(path, L"error 106: file not found");
    return;
  }
  folderOf(folder, path);
  for (const char *at = text; (at = strstr(at, "#include \"")) != NULL; at++) {
    if (sscanf(at, "#include \"%255[^\"]", name) != 1) continue;
    _snwprintf(included, MAX_PATH_TEXT - 1, L"%ls%hs", folder, name);
    _snwprintf(message, MAX_PATH_TEXT - 1, L"information: including %ls", included);
    add(path, message);
    check(included, depth + 1);
  }
  for (const char *at = text; *at != 0; at++) {
    bool isComment = !isQuoted && at[0] == '/' && at[1] == '/';
    while (isComment && *at != 0 && *at != '\n') at++;
    if (*at == 0) break;
    if (at[0] == '\\' && at[1] != 0) at++;
    else if (*at == '"' || *at == '\n') isQuoted = *at == '"' && !isQuoted;
    else if (*at == '\'' && at[1] != 0 && at[2] == '\'') at += 2;
    else if (!isQuoted) braces += *at == '{' ? 1 : *at == '}' ? -1 : 0;
  }
  if (braces != 0) fail(path, L"error 149: unexpected end of program");
  free(text);
}

static void makeProgram(const wchar_t *own, const wchar_t *source) {
  wchar_t made[MAX_PATH_TEXT], built[MAX_PATH_TEXT];
  const wchar_t *name = wcsrchr(source, L'\\') == NULL ? source : wcsrchr(source, L'\\') + 1;
  const wchar_t *ending = wcsrchr(source, L'.');
  int stem = (int)(ending - source);
  int nameStem = (int)(ending - name);
  wchar_t version = ending[3];
  _snwprintf(made, MAX_PATH_TEXT - 1, L"%.*ls.ex%lc", stem, source, version);
  _snwprintf(built, MAX_PATH_TEXT - 1, L"%lssimulated\\%.*ls.ex%lc", own, nameStem, name, version);
  if (CopyFileW(built, made, FALSE)) return;
  FILE *file = _wfopen(made, L"wb");
  if (file == NULL) {
    fail(source, L"error 101: cannot write the program");
    return;
  }
  fputs("simulated program", file);
  fclose(file);
}

static void writeLog(const wchar_t *path) {
  static const unsigned char mark[] = {0xFF, 0xFE};
  FILE *file = path[0] == 0 ? NULL : _wfopen(path, L"wb");
  if (file == NULL) return;
  fwrite(mark, 1, sizeof mark, file);
  fwrite(written, sizeof *written, wcslen(written), file);
  fclose(file);
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, wchar_t *line, int show) {
  (void)instance, (void)previous, (void)line, (void)show;
  wchar_t own[MAX_PATH_TEXT], self[MAX_PATH_TEXT], library[MAX_PATH_TEXT], message[MAX_PATH_TEXT];
  const wchar_t *source = L"", *log = L"";
  int count;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int index = 1; index < count; index++) {
    if (_wcsnicmp(words[index], L"/compile:", 9) == 0) source = words[index] + 9;
    if (_wcsnicmp(words[index], L"/log:", 5) == 0) log = words[index] + 5;
  }
  const wchar_t *ending = wcsrchr(source, L'.');
  if (ending == NULL || wcslen(ending) != 4 || wcschr(source, L' ') != NULL) return 0;
  GetModuleFileNameW(NULL, self, MAX_PATH_TEXT);
  folderOf(own, self);
  _snwprintf(library, MAX_PATH_TEXT - 1, L"%lsMQL%lc\\Include", own, ending[3]);
  add(source, L"information: compiling (simulated: Berth's stand-in compiles nothing)");
  if (!isThere(library)) fail(library, L"error 106: the library is missing");
  check(source, 0);
  if (errors == 0) makeProgram(own, source);
  _snwprintf(message, MAX_PATH_TEXT - 1, L"Result: %d errors, 0 warnings, 12 ms elapsed, cpu='X64 Regular'\r\n", errors);
  wcsncat(written, message, MAX_LOG - wcslen(written) - 1);
  writeLog(log);
  return errors == 0;
}
