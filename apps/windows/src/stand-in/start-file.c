#include "terminal.h"

static Ini ini;

/** MetaTrader 4's start file is a flat list; a [Common] header above it is read as well. */
static const wchar_t *find(const wchar_t *section, const wchar_t *key, const wchar_t *flatKey) {
  if (!app.isMt4) return findIni(&ini, section, key);
  const wchar_t *value = findIni(&ini, L"", flatKey);
  return value == NULL ? findIni(&ini, L"Common", flatKey) : value;
}

static void take(wchar_t *to, size_t max, const wchar_t *section, const wchar_t *key) {
  const wchar_t *value = find(section, key, key);
  wcsncpy(to, value == NULL ? L"" : value, max - 1);
  to[max - 1] = 0;
}

static int takeFlag(const wchar_t *section, const wchar_t *key, const wchar_t *flatKey) {
  const wchar_t *value = find(section, key, flatKey);
  return value == NULL || value[0] == 0 ? -1 : readFlag(value, false);
}

bool parseStartFile(const wchar_t *path) {
  StartFile *start = &app.start;
  Text text = {0};
  if (!readTextFile(path, &text)) return false;
  parseIni(&ini, &text);
  freeText(&text);
  take(start->login, 64, L"Common", L"Login");
  take(start->password, 128, L"Common", L"Password");
  take(start->server, 128, L"Common", L"Server");
  start->keepsPassword = readFlag(find(L"Common", L"KeepPrivate", L"KeepPrivate"), app.isMt4);
  take(start->profile, 128, L"Charts", app.isMt4 ? L"Profile" : L"ProfileLast");
  start->algoTrading = takeFlag(L"Experts", L"Enabled", L"ExpertsEnable");
  if (start->algoTrading < 0 && !app.isMt4) start->algoTrading = takeFlag(L"Experts", L"AllowLiveTrading", L"");
  start->allowDll = takeFlag(L"Experts", L"AllowDllImport", L"ExpertsDllImport");
  start->offOnAccountChange = app.isMt4 ? -1 : takeFlag(L"Experts", L"Account", L"");
  start->offOnProfileChange = app.isMt4 ? -1 : takeFlag(L"Experts", L"Profile", L"");
  take(start->expert, 256, L"StartUp", L"Expert");
  take(start->expertParameters, 256, L"StartUp", L"ExpertParameters");
  take(start->script, 256, L"StartUp", L"Script");
  take(start->symbol, 64, L"StartUp", L"Symbol");
  take(start->startTemplate, 256, L"StartUp", L"Template");
  const wchar_t *period = find(L"StartUp", L"Period", L"Period");
  wcscpy(start->period, toPeriod(period == NULL ? L"" : period));
  start->shutsDown = !app.isMt4 && readFlag(find(L"StartUp", L"ShutdownTerminal", L""), false);
  return true;
}

/** A relative path lies in the terminal's folder; a unix path is ignored without a word, as Wine's terminal does. */
void openStartFile(const wchar_t *given) {
  wchar_t path[MAX_NAME];
  if (given[0] == 0 || given[0] == L'/') return;
  if (given[1] == L':') {
    copyName(path, given);
  } else {
    joinPath(path, app.root, given);
  }
  app.hasStart = wcschr(given, L'"') == NULL && parseStartFile(path);
  if (app.hasStart) {
    printJournal(0, L"Startup", L"successfully initialized from start config \"%ls\"", given);
    printJournal(0, L"Terminal", L"launched with %ls", given);
    return;
  }
  printJournal(2, L"Terminal", L"cannot load config \"%ls\" at start", given);
  printJournal(2, L"Startup", L"invalid configuration file (-1)");
  printJournal(2, L"Terminal", L"initialization failed [10015]");
  printJournal(0, L"Terminal", L"stopped with 10015");
  flushJournals();
  ExitProcess(0);
}
