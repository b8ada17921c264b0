#include "terminal.h"

/** Whether one of them belongs to a server whose accounts are deleted at each start. */
static bool isWiped(const wchar_t *text) {
  wchar_t line[MAX_LINE];
  const wchar_t *at = text;
  while (nextLine(&at, line)) {
    const wchar_t *server = wcschr(line, L'\t');
    if (server != NULL && hasTrouble(server + 1, L"Wiped")) return true;
  }
  return false;
}

/** The accounts whose passwords the terminal keeps, one line each: login, server, password. */
bool loadAccounts(void) {
  wchar_t path[MAX_NAME];
  wchar_t line[MAX_LINE];
  Text file = {0};
  Text text = {0};
  joinPath(path, app.root, pathOf(L"accounts"));
  if (!readTextFile(path, &file)) return !app.faults.wipeAccounts;
  bool isOpen = !app.faults.wipeAccounts && file.chars != NULL && openSealed(file.chars, &text);
  isOpen = isOpen && !isWiped(text.chars);
  if (!isOpen) DeleteFileW(path);
  const wchar_t *at = text.chars;
  while (isOpen && nextLine(&at, line) && app.accountCount < MAX_ACCOUNTS) {
    Credentials *account = &app.accounts[app.accountCount];
    wchar_t *server = wcschr(line, L'\t');
    wchar_t *password = server == NULL ? NULL : wcschr(server + 1, L'\t');
    if (password == NULL) continue;
    *server++ = 0;
    *password++ = 0;
    wcsncpy(account->login, line, 63);
    wcsncpy(account->server, server, 127);
    wcsncpy(account->password, password, 127);
    app.accountCount++;
  }
  freeText(&file);
  freeText(&text);
  return isOpen;
}

const Credentials *findAccount(const wchar_t *login, const wchar_t *server) {
  for (size_t index = 0; index < app.accountCount; index++) {
    const Credentials *known = &app.accounts[index];
    if (wcscmp(known->login, login) == 0 && (server[0] == 0 || wcscmp(known->server, server) == 0)) return known;
  }
  return NULL;
}

void saveAccount(const Credentials *account) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  Text file = {0};
  Credentials *known = (Credentials *)findAccount(account->login, account->server);
  if (known == NULL) known = &app.accounts[app.accountCount < MAX_ACCOUNTS ? app.accountCount++ : MAX_ACCOUNTS - 1];
  *known = *account;
  for (size_t index = 0; index < app.accountCount; index++) {
    const Credentials *each = &app.accounts[index];
    addFormat(&text, L"%ls\t%ls\t%ls\r\n", each->login, each->server, each->password);
  }
  sealText(text.chars, &file);
  joinPath(path, app.root, pathOf(L"accounts"));
  writeTextFile(path, &file, false);
  freeText(&text);
  freeText(&file);
}
