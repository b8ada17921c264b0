/**
 * The stand-in terminal: a Windows program that is started, operated and stopped as a MetaTrader terminal is, for the
 * tests of hosts. It is not MetaTrader and says so in its title. docs/platforms/stand-in.md lists what it imitates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "resource.h"
#include "terminal.h"

Terminal app;

static unsigned long long hashFolder(void) {
  unsigned long long hash = 14695981039346656037ull;
  for (const wchar_t *at = app.folder; *at != 0; at++) hash = (hash ^ (wchar_t)towlower(*at)) * 1099511628211ull;
  return hash;
}

static bool hasSwitch(int count, wchar_t **arguments, const wchar_t *name) {
  for (int index = 1; index < count; index++) {
    if (isSame(arguments[index], name)) return true;
  }
  return false;
}

/** With /portable the data lies beside the programs, otherwise in the user's folder, as it does on Windows. */
static void findFolders(int count, wchar_t **arguments) {
  wchar_t data[MAX_NAME] = L"";
  GetModuleFileNameW(NULL, app.folder, MAX_NAME);
  wchar_t *name = wcsrchr(app.folder, L'\\');
  app.isMt4 = isSame(name + 1, L"terminal.exe");
  *name = 0;
  copyName(app.root, app.folder);
  if (hasSwitch(count, arguments, L"/portable")) return;
  GetEnvironmentVariableW(L"APPDATA", data, MAX_NAME);
  _snwprintf(app.root, MAX_NAME - 1, L"%ls\\MetaQuotes\\Terminal\\%016llX%016llX", data, hashFolder(), ~hashFolder());
}

/** One terminal per folder. The system releases the name when its process ends, however that happens. */
static bool isAlone(void) {
  wchar_t name[64];
  _snwprintf(name, 63, L"Local\\berth-stand-in-%016llx", hashFolder());
  return CreateMutexW(NULL, TRUE, name) != NULL && GetLastError() != ERROR_ALREADY_EXISTS;
}

/** The successor of an update waits first, and has forgotten the StartUp section. */
static bool waitForUpdate(void) {
  wchar_t wait[16] = L"";
  if (GetEnvironmentVariableW(L"BERTH_STAND_IN_RESTART_MS", wait, 16) == 0) return false;
  SetEnvironmentVariableW(L"BERTH_STAND_IN_RESTART_MS", NULL);
  Sleep((DWORD)_wtoi(wait));
  return true;
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, wchar_t *commandLine, int show) {
  MSG message;
  (void)previous, (void)commandLine, (void)show;
  app.instance = instance;
  findFolders(__argc, __wargv);
  bool isUpdated = waitForUpdate();
  readFaults();
  /* Once only, or the terminal would update itself for ever. */
  if (isUpdated) app.faults.liveUpdateAfterMs = 0;
  if (isUpdated) app.faults.liveUpdateDialog = false;
  if (!isAlone()) return 0;
  Sleep((DWORD)app.faults.startDelayMs);
  if (app.faults.hang) hangForever();
  startTerminal(!isUpdated);
  HACCEL keys = LoadAcceleratorsW(instance, MAKEINTRESOURCEW(KEYS_MAIN));
  while (GetMessageW(&message, NULL, 0, 0) > 0) {
    if (TranslateMDISysAccel(app.client, &message) || TranslateAcceleratorW(app.window, keys, &message)) continue;
    TranslateMessage(&message);
    DispatchMessageW(&message);
  }
  return 0;
}
