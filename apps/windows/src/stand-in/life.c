#include <stdio.h>

#include "broker.h"
#include "link.h"
#include "programs.h"
#include "terminal.h"

#define BUILD_FILE L"berth-build.txt"

/** The build of the installation: an update writes a higher number. */
static int readBuild(void) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  joinPath(path, app.folder, BUILD_FILE);
  int build = readTextFile(path, &text) && text.chars != NULL ? _wtoi(text.chars) : 0;
  freeText(&text);
  return build > 0 ? build : app.isMt4 ? STAND_IN_MT4_BUILD : STAND_IN_BUILD;
}

static void printBanner(void) {
  typedef const char *(*Version)(void);
  MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
  SYSTEM_INFO system;
  TIME_ZONE_INFORMATION zone;
  wchar_t wine[64] = L"";
  Version version = (Version)(void *)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version");
  if (version != NULL) _snwprintf(wine, 63, L" on Wine %hs", version());
  GlobalMemoryStatusEx(&memory);
  GetSystemInfo(&system);
  GetTimeZoneInformation(&zone);
  if (app.isMt4) {
    printJournal(0, L"Terminal", L"Berth stand-in MT4 build %d started (Berth)", readBuild());
  } else {
    printJournal(0, L"Terminal", L"Berth stand-in MT5 x64 build %d started for Berth", readBuild());
  }
  printJournal(0, L"Terminal", L"Windows 10 build 19045%ls, %u x processor, %u / %u Gb memory, GMT%+d", wine,
               (unsigned)system.dwNumberOfProcessors, (unsigned)(memory.ullAvailPhys >> 30),
               (unsigned)(memory.ullTotalPhys >> 30), (int)(-zone.Bias / 60));
  printJournal(0, L"Terminal", L"%ls", app.root);
}

/** The value of a switch such as `/config:`; the empty text where it is missing. */
static const wchar_t *findSwitch(const wchar_t *name) {
  for (int index = 1; index < __argc; index++) {
    if (_wcsnicmp(__wargv[index], name, wcslen(name)) == 0) return __wargv[index] + wcslen(name);
  }
  return L"";
}

static const wchar_t *findStartPath(void) {
  if (!app.isMt4) return findSwitch(L"/config:");
  for (int index = 1; index < __argc; index++) {
    if (__wargv[index][0] != L'/') return __wargv[index];
  }
  return L"";
}

bool hasTrouble(const wchar_t *server, const wchar_t *trouble) { return wcsncmp(server, trouble, wcslen(trouble)) == 0; }

void printCompiled(void) {
  if (app.isMt4) {
    printJournal(0, L"Compiler", L"Sources recompilation finished (28 compiled in %d msec)", app.faults.compileMs);
  } else {
    printJournal(0, L"Compiler", L"full recompilation has been finished: 28 file(s) compiled");
  }
}

/** Problems with the saved accounts are reported before anything else. */
static void openAccounts(void) {
  if (loadAccounts()) return;
  const wchar_t *text = L"deleted due security reason";
  if (app.isMt4) printJournal(2, L"", L"Accounts %ls", text);
  else printJournal(2, L"Accounts", L"%ls", text);
}

void startTerminal(bool startsUp) {
  openAccounts();
  printBanner();
  openStartFile(findStartPath());
  const wchar_t *profile = findSwitch(L"/profile:");
  if (profile[0] != 0) wcsncpy(app.start.profile, profile, 127);
  loadSettings();
  createMainWindow();
  openMcpServer();
  openBroker();
  app.build = readBuild();
  startServices();
  if (app.faults.switchLine) {
    printJournal(0, L"Experts", L"automated trading is %ls", app.settings.algoTrading ? L"enabled" : L"disabled");
  }
  if (app.faults.compileMs > 0) {
    printJournal(0, L"Compiler", app.isMt4 ? L"Sources recompilation started" : L"full recompilation has been started");
  }
  openProfile();
  if (app.hasStart && startsUp) prepareStartUp();
  for (size_t index = 0; index < app.chartCount; index++) loadExpert(&app.charts[index]);
  for (size_t index = 0; app.client != NULL && index < app.chartCount; index++) showChart(&app.charts[index]);
  if (app.chartCount > 1) SendMessageW(app.client, WM_MDITILE, 0, 0);
  runScript();
  showTitle();
  logInAtStart(findSwitch(L"/login:"));
}

void closeTerminal(void) {
  if (app.isClosed) return;
  stopPrograms();
  endConnection();
  removeExperts();
  app.isClosed = true;
  if (app.faults.stopDelayMs > 0) Sleep((DWORD)app.faults.stopDelayMs);
  saveProfile();
  saveSettings();
  saveMarketWatch();
  if (app.isMt4) printJournal(0, L"Terminal", L"Berth stand-in MT4 build %d stopped", readBuild());
  else printJournal(0, L"Terminal", L"shutdown with 0");
  flushJournals();
}

/** As LiveUpdate does: this process ends with 0, and another one with the same command line comes back later. */
void leaveForUpdate(void) {
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process = {0};
  wchar_t path[MAX_NAME];
  wchar_t wait[16];
  Text build = {0};
  int next = readBuild() + 1;
  if (app.isMt4) {
    printJournal(0, L"", L"LiveUpdate: updater - started for '%ls'", app.folder);
  } else {
    printJournal(0, L"LiveUpdate", L"new version build %d is available", next);
    printJournal(0, L"LiveUpdate", L"downloaded successfully");
  }
  closeTerminal();
  if (app.isMt4) {
    printJournal(0, L"", L"LiveUpdate: updater - files update started");
    printJournal(0, L"", L"LiveUpdate: updater - files update finished");
    printJournal(0, L"", L"LiveUpdate: updater - start terminal");
    flushJournals();
  }
  joinPath(path, app.folder, BUILD_FILE);
  addFormat(&build, L"%d\r\n", next);
  writeTextFile(path, &build, false);
  _snwprintf(wait, 16, L"%d", app.faults.restartMs);
  SetEnvironmentVariableW(L"BERTH_STAND_IN_RESTART_MS", wait);
  CreateProcessW(NULL, GetCommandLineW(), NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process);
  ExitProcess(0);
}
