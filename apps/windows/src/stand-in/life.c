#include <stdio.h>

#include "link.h"
#include "terminal.h"

#define BUILD_FILE L"berth-build.txt"

/** The build of the installation: an update writes a higher number. */
static int readBuild(void) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  joinPath(path, app.folder, BUILD_FILE);
  int build = readTextFile(path, &text) && text.chars != NULL ? _wtoi(text.chars) : 0;
  freeText(&text);
  return build > 0 ? build : STAND_IN_BUILD;
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
  printJournal(0, L"Terminal", L"Berth stand-in %ls %ls build %d started for Berth", app.isMt4 ? L"MT4" : L"MT5",
               sizeof(void *) == 8 ? L"x64" : L"x86", readBuild());
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

void startTerminal(bool startsUp) {
  printBanner();
  openStartFile(findStartPath());
  const wchar_t *profile = findSwitch(L"/profile:");
  if (profile[0] != 0) wcsncpy(app.start.profile, profile, 127);
  loadSettings();
  if (!loadAccounts()) printJournal(2, L"Terminal", L"Accounts deleted due security reason");
  createMainWindow();
  printJournal(0, L"Experts", L"automated trading is %ls", app.settings.algoTrading ? L"enabled" : L"disabled");
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
  endConnection();
  removeExperts();
  app.isClosed = true;
  if (app.faults.stopDelayMs > 0) Sleep((DWORD)app.faults.stopDelayMs);
  saveProfile();
  saveSettings();
  saveMarketWatch();
  printJournal(0, L"Terminal", L"shutdown with 0");
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
  printJournal(0, L"LiveUpdate", L"new version build %d is available", next);
  printJournal(0, L"LiveUpdate", L"downloaded successfully");
  closeTerminal();
  joinPath(path, app.folder, BUILD_FILE);
  addFormat(&build, L"%d\r\n", next);
  writeTextFile(path, &build, false);
  _snwprintf(wait, 16, L"%d", app.faults.restartMs);
  SetEnvironmentVariableW(L"BERTH_STAND_IN_RESTART_MS", wait);
  CreateProcessW(NULL, GetCommandLineW(), NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process);
  ExitProcess(0);
}
