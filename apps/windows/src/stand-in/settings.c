#include "terminal.h"

/** MetaTrader 4's terminal.ini has none of these: the real program keeps them in files of its own form. */
#define OWN L"StandIn"
static const wchar_t *read(const wchar_t *section, const wchar_t *key, const wchar_t *flatKey) {
  return app.isMt4 ? findIni(&app.settingsFile, OWN, flatKey) : findIni(&app.settingsFile, section, key);
}

static void write(const wchar_t *section, const wchar_t *key, const wchar_t *flatKey, const wchar_t *value) {
  setIni(&app.settingsFile, app.isMt4 ? OWN : section, app.isMt4 ? flatKey : key, value);
}

static void readText(wchar_t *to, size_t max, const wchar_t *value, const wchar_t *fallback) {
  wcsncpy(to, value == NULL ? fallback : value, max - 1);
  to[max - 1] = 0;
}

/** A list from another machine or folder does not open: it is as good as empty. */
static void openUrls(void) {
  Settings *settings = &app.settings;
  Text text = {0};
  wchar_t line[MAX_LINE];
  const wchar_t *sealed = read(L"Experts", L"WebRequestUrl", L"WebRequestUrl");
  if (sealed != NULL && openSealed(sealed, &text)) {
    const wchar_t *at = text.chars;
    while (settings->urlCount < MAX_URLS && nextLine(&at, line)) {
      readText(settings->urls[settings->urlCount++], 256, line, L"");
    }
  }
  freeText(&text);
}

void loadSettings(void) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  Settings *settings = &app.settings;
  joinPath(path, app.root, pathOf(L"settings"));
  readTextFile(path, &text);
  parseIni(&app.settingsFile, &text);
  freeText(&text);
  readText(settings->login, 64, read(L"Common", L"Login", L"Login"), L"");
  readText(settings->server, 128, read(L"Common", L"Server", L"Server"), L"");
  readText(settings->profile, 128, read(L"Charts", L"ProfileLast", L"Profile"), app.isMt4 ? L"default" : L"Default");
  settings->algoTrading = readFlag(read(L"Experts", L"Enabled", L"Experts"), false);
  settings->allowDll = readFlag(read(L"Experts", L"AllowDllImport", L"ExpertsDllImport"), false);
  settings->offOnAccountChange = readFlag(read(L"Experts", L"Account", L"ExpertsDisableOnAccount"), !app.isMt4);
  settings->offOnProfileChange = readFlag(read(L"Experts", L"Profile", L"ExpertsDisableOnProfile"), false);
  settings->webRequest = readFlag(read(L"Experts", L"WebRequest", L"WebRequest"), false);
  openUrls();
  if (!app.hasStart) return;
  const StartFile *start = &app.start;
  if (start->algoTrading >= 0) settings->algoTrading = start->algoTrading == 1;
  if (start->allowDll >= 0) settings->allowDll = start->allowDll == 1;
  if (start->offOnAccountChange >= 0) settings->offOnAccountChange = start->offOnAccountChange == 1;
  if (start->offOnProfileChange >= 0) settings->offOnProfileChange = start->offOnProfileChange == 1;
}

static const wchar_t *toDigit(bool flag) { return flag ? L"1" : L"0"; }

/** Keys that the real file holds besides; written once, then kept as they are. */
static void writeOthers(void) {
  static const wchar_t *const others[][3] = {
      {L"Common", L"ProxyEnable", L"0"}, {L"Common", L"NewsEnable", L"1"},  {L"Common", L"CertInstall", L"0"},
      {L"Charts", L"MaxBars", L"100000"}, {L"Charts", L"PrintColor", L"0"}, {L"Charts", L"SaveDeleted", L"0"},
      {L"Experts", L"Chart", L"0"},      {L"Experts", L"Api", L"0"}};
  /* How a branch of the Navigator is open: the only key of this name, and not the switch. */
  if (app.isMt4) setIni(&app.settingsFile, L"CodeBasesList", L"Experts", L"1");
  for (size_t index = 0; !app.isMt4 && index < sizeof others / sizeof others[0]; index++) {
    const wchar_t *const *each = others[index];
    if (findIni(&app.settingsFile, each[0], each[1]) == NULL) setIni(&app.settingsFile, each[0], each[1], each[2]);
  }
}

void saveSettings(void) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  Text urls = {0};
  Text sealed = {0};
  const Settings *settings = &app.settings;
  for (size_t index = 0; index < settings->urlCount; index++) addFormat(&urls, L"%ls\r\n", settings->urls[index]);
  if (settings->urlCount > 0) sealText(urls.chars, &sealed);
  write(L"Common", L"Login", L"Login", settings->login);
  write(L"Common", L"Server", L"Server", settings->server);
  write(L"Charts", L"ProfileLast", L"Profile", settings->profile);
  write(L"Experts", L"Enabled", L"Experts", toDigit(settings->algoTrading));
  write(L"Experts", L"AllowDllImport", L"ExpertsDllImport", toDigit(settings->allowDll));
  write(L"Experts", L"Account", L"ExpertsDisableOnAccount", toDigit(settings->offOnAccountChange));
  write(L"Experts", L"Profile", L"ExpertsDisableOnProfile", toDigit(settings->offOnProfileChange));
  write(L"Experts", L"WebRequest", L"WebRequest", toDigit(settings->webRequest));
  write(L"Experts", L"WebRequestUrl", L"WebRequestUrl", sealed.length > 0 ? sealed.chars : L"");
  writeOthers();
  writeIni(&app.settingsFile, &text);
  joinPath(path, app.root, pathOf(L"settings"));
  writeTextFile(path, &text, !app.isMt4);
  freeText(&text);
  freeText(&urls);
  freeText(&sealed);
}

void setAlgoTrading(bool isOn, const wchar_t *reason) {
  app.settings.algoTrading = isOn;
  const wchar_t *words = app.isMt4 ? L"Automated trading" : L"automated trading is";
  printJournal(0, L"Experts", L"%ls %ls%ls", words, isOn ? L"enabled" : L"disabled", reason);
  if (app.window != NULL) InvalidateRect(app.window, NULL, TRUE);
  showTitle();
}
