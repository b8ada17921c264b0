#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "host.h"
#include "ini.h"
#include "terminal.h"

/** The broker's clock, whose time zone is not ours: programs have to notice that. */
#define SERVER_OFFSET_SECONDS 10800
#define STOP_MS 3000
#define MAX_PROGRAMS 8

typedef struct {
  RunLink run;
  LinkHost host;
} Program;

static HANDLE threads[MAX_PROGRAMS];
static DWORD threadCount;
static volatile bool isStopping;
static char filesFolder[MAX_NAME * 3];

static char *join(const char *format, const char *a, const char *b, const char *c) {
  size_t size = strlen(format) + strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = malloc(size);
  if (text != NULL) snprintf(text, size, format, a, b, c);
  return text;
}

static char *look(bool refusesOrders) {
  char facts[256];
  char *account = copyAccount();
  char *symbols = copySymbols();
  snprintf(facts, sizeof facts,
           "{\"connected\":%s,\"build\":%d,\"trade_allowed\":%s,\"program_trade_allowed\":true,"
           "\"server_offset_seconds\":%d,\"refuses_services\":%s}",
           isAccountCurrent() ? "true" : "false", app.build, app.settings.algoTrading ? "true" : "false",
           SERVER_OFFSET_SECONDS, refusesOrders ? "true" : "false");
  char *text = join("{\"terminal\":%s,\"account\":%s,\"symbols\":%s}", facts, account == NULL ? "null" : account,
                    symbols == NULL ? "[]" : symbols);
  free(account);
  free(symbols);
  return text;
}

static char *lookAsService(void) { return look(app.faults.refusesServices); }
static char *lookAsExpert(void) { return look(false); }

static char *listDeals(const char *after) {
  char rest[96];
  if (after[0] == 0) strcpy(rest, "\"after\":null,\"from\":null");
  else snprintf(rest, sizeof rest, "\"after\":\"%.20s\",\"from\":null", after);
  return askBroker("deals", rest);
}

/** The request is an object: its members follow those of the line. */
static char *trade(const char *request) {
  size_t length = strlen(request);
  char *rest = length < 3 ? NULL : _strdup(request + 1);
  if (rest == NULL) return NULL;
  rest[length - 2] = 0;
  char *answer = askBroker("trade", rest);
  free(rest);
  return answer;
}

static void release(char *text) { free(text); }
static int hasStopped(void) { return isStopping; }
static void pause(int ms) { Sleep((DWORD)ms); }

static void print(const char *text, bool isService) {
  wchar_t *wide = calloc(MAX_LINE, sizeof *wide);
  if (wide == NULL || app.window == NULL) return;
  fromUtf8(wide, MAX_LINE, text);
  PostMessageW(app.window, WM_PROGRAM, isService, (LPARAM)wide);
}
static void printOfService(const char *text) { print(text, true); }
static void printOfExpert(const char *text) { print(text, false); }

static long long nowMs(void) {
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  unsigned long long ticks = (unsigned long long)now.dwHighDateTime << 32 | now.dwLowDateTime;
  return (long long)(ticks / 10000) - 11644473600000LL;
}
static long long steadyMs(void) { return (long long)GetTickCount64() + 1; }

static DWORD WINAPI runProgram(void *parameter) {
  Program *program = parameter;
  program->run(&program->host);
  free(program);
  return 0;
}

void takePrinted(WPARAM isService, LPARAM text) {
  printExperts(0, isService ? L"BerthLink" : L"BerthLinkOrders", L"%ls", (wchar_t *)text);
  free((wchar_t *)text);
}

bool hasPrograms(void) { return threadCount > 0; }

static void makeFilesFolder(void) {
  wchar_t folder[MAX_NAME], file[MAX_NAME];
  joinPath(folder, app.root, app.isMt4 ? L"MQL4\\Files" : L"MQL5\\Files");
  joinPath(file, folder, L"any");
  makeFolderOf(file);
  WideCharToMultiByte(CP_UTF8, 0, folder, -1, filesFolder, sizeof filesFolder, NULL, NULL);
}

void startProgram(const wchar_t *path, bool isService) {
  if (threadCount == MAX_PROGRAMS || !fileExists(path)) return;
  /* Most experts of tests are a few bytes of text. */
  HMODULE library = LoadLibraryW(path);
  RunLink run = library == NULL ? NULL : (RunLink)(void *)GetProcAddress(library, RUN_LINK);
  Program *program = run == NULL ? NULL : calloc(1, sizeof *program);
  if (program == NULL) return;
  makeFilesFolder();
  followAccount();
  program->run = run;
  program->host = (LinkHost){.files = filesFolder,
                             .look = isService ? lookAsService : lookAsExpert,
                             .listDeals = listDeals,
                             .trade = trade,
                             .release = release,
                             .isStopped = hasStopped,
                             .sleep = pause,
                             .print = isService ? printOfService : printOfExpert,
                             .nowMs = nowMs,
                             .steadyMs = steadyMs};
  threads[threadCount] = CreateThread(NULL, 0, runProgram, program, 0, NULL);
  if (threads[threadCount] != NULL) threadCount++;
}

static void startService(const wchar_t *name, const wchar_t *path, bool isEnabled) {
  wchar_t folder[MAX_NAME], whole[MAX_NAME];
  DWORD before = threadCount;
  if (!isEnabled || path[0] == 0 || !isInside(path)) return;
  joinPath(folder, app.root, L"MQL5");
  joinPath(whole, folder, path);
  startProgram(whole, true);
  const wchar_t *outcome = threadCount > before ? L"loaded successfully" : L"cannot be loaded";
  printJournal(threadCount > before ? 0 : 2, L"Services", L"service '%ls' %ls", name, outcome);
}

void startServices(void) {
  wchar_t path[MAX_NAME], line[MAX_LINE], name[128] = L"", program[MAX_NAME] = L"";
  Text text = {0};
  bool isEnabled = false, isInputs = false;
  if (app.isMt4) return;
  joinPath(path, app.root, L"config\\services.ini");
  readTextFile(path, &text);
  const wchar_t *at = text.chars;
  while (at != NULL && nextLine(&at, line)) {
    if (isSame(line, L"<service>")) name[0] = program[0] = 0, isEnabled = isInputs = false;
    if (isSame(line, L"<inputs>")) isInputs = true;
    if (!isInputs && wcsncmp(line, L"name=", 5) == 0) wcsncpy(name, line + 5, 127);
    if (!isInputs && wcsncmp(line, L"path=", 5) == 0) copyName(program, line + 5);
    if (!isInputs && wcscmp(line, L"enabled=1") == 0) isEnabled = true;
    if (isSame(line, L"</service>")) startService(name, program, isEnabled);
  }
  freeText(&text);
}

void stopPrograms(void) {
  isStopping = true;
  if (threadCount > 0) WaitForMultipleObjects(threadCount, threads, TRUE, STOP_MS);
}
