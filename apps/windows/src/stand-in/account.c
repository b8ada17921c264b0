#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "link.h"

static WPARAM current;

void useAccount(const Credentials *credentials, bool keepsPassword) {
  app.account = *credentials;
  app.keepsPassword = keepsPassword;
  app.isOnline = false;
  /* A real terminal's line about a login reached the disk more than 15 s later. */
  if (hasTrouble(credentials->server, L"Late")) app.faults.flushMs = 16000;
  current = connectAccount(credentials);
}

/** The account of the start file, of the command line, or the last one with a saved password. */
void logInAtStart(const wchar_t *login) {
  Credentials credentials = {0};
  const StartFile *start = &app.start;
  const wchar_t *asked = start->login[0] != 0 ? start->login : login[0] != 0 ? login : app.settings.login;
  const Credentials *saved = findAccount(asked, start->server);
  const wchar_t *server = start->server[0] != 0 ? start->server : saved != NULL ? saved->server : app.settings.server;
  const wchar_t *password = start->password[0] != 0 ? start->password : saved != NULL ? saved->password : L"";
  wcsncpy(credentials.login, asked, 63);
  wcsncpy(credentials.server, server, 127);
  wcsncpy(credentials.password, password, 127);
  if (asked[0] != 0 && server[0] != 0 && password[0] != 0) {
    useAccount(&credentials, start->keepsPassword);
  } else if (app.faults.exitsWithoutAccount) {
    Sleep(1500);
    printJournal(0, L"Terminal", L"exit with code 0");
    closeTerminal();
    ExitProcess(0);
  } else if (app.faults.wizard) {
    openWizard();
  }
}

/** An expired demo account is replaced by another one automatically. */
static void takeAllocation(const char *line, const wchar_t *server) {
  wchar_t login[64] = L"";
  const char *allocated = findMember(line, "allocated");
  if (allocated == NULL || *allocated != '"') return;
  readJsonText(allocated, login, 64);
  printJournal(1, L"Network", L"current demo account '%ls' on %ls was deleted, new demo will be allocated",
               app.account.login, server);
  printJournal(0, L"Network", L"demo account '%ls' was allocated on %ls", login, server);
  wcscpy(app.account.login, login);
}

static void openLoginDialog(void) {
  wcscpy(app.faults.dialogTitle, L"Login");
  wcscpy(app.faults.dialogText, L"Authorization to the trading server.");
  PostMessageW(app.window, WM_DIALOG, 0, 0);
}

static void printTerms(const char *line) {
  const wchar_t *login = app.account.login;
  const char *previous = findMember(line, "previous");
  if (app.isMt4) return;
  if (previous != NULL && *previous == '{') {
    wchar_t address[128];
    wchar_t date[32];
    time_t at = (time_t)(readJsonNumber(findMember(previous, "at"), 0) / 1000);
    const struct tm *time = gmtime(&at);
    readJsonText(findMember(previous, "address"), address, 128);
    if (time != NULL) {
      wcsftime(date, 32, L"%Y.%m.%d %H:%M:%S", time);
      printJournal(0, L"Network", L"'%ls': previous successful authorization performed from %ls on %ls", login, address,
                   date);
    }
  }
  printJournal(0, L"Network", L"'%ls': terminal synchronized with %ls: 0 positions, 0 orders, %u symbols, 0 spreads",
               login, app.company, (unsigned)app.symbolCount);
  if (app.isInvestor) {
    printJournal(0, L"Network", L"'%ls': trading has been disabled - investor mode", login);
  } else {
    const wchar_t *kind = app.isDemo ? L", demo account" : L"";
    printJournal(0, L"Network", L"'%ls': trading has been enabled%ls - hedging mode", login, kind);
  }
}

/** A login to another account turns Algo Trading off, unless the options say otherwise. */
static void rememberAccount(void) {
  Settings *settings = &app.settings;
  bool hasChanged =
      wcscmp(settings->login, app.account.login) != 0 || wcscmp(settings->server, app.account.server) != 0;
  wcscpy(settings->login, app.account.login);
  wcscpy(settings->server, app.account.server);
  if (hasChanged && settings->offOnAccountChange && settings->algoTrading) {
    setAlgoTrading(false, L" because the account has been changed");
  }
  bool isKept = findAccount(app.account.login, app.account.server) != NULL;
  if (app.keepsPassword || isKept) saveAccount(&app.account);
}

static void takeWelcome(const char *line, double pingMs) {
  wchar_t server[128];
  readJsonText(findMember(line, "server"), server, 128);
  readJsonText(findMember(line, "company"), app.company, 128);
  readJsonText(findMember(line, "accessPoint"), app.accessPoint, 128);
  int build = (int)readJsonNumber(findMember(line, "build"), 0);
  app.isDemo = isJsonTrue(findMember(line, "demo"));
  app.isInvestor = isJsonTrue(findMember(line, "investor"));
  app.balance = readJsonNumber(findMember(line, "balance"), 0);
  app.pingMs = pingMs;
  app.isOnline = true;
  takeAllocation(line, server);
  const wchar_t *login = app.account.login;
  if (app.isMt4) {
    printJournal(0, L"Network", L"'%ls': login on %ls through %ls (ping: %.2f ms)", login, server, app.accessPoint,
                 pingMs);
  } else {
    printJournal(0, L"Network", L"'%ls': authorized on %ls through %ls (ping: %.2f ms, build %d)", login, server,
                 app.accessPoint, pingMs, build);
  }
  if (hasTrouble(server, L"Dialog")) openLoginDialog();
  if (isJsonTrue(findMember(line, "mustChangePassword"))) {
    printJournal(1, server, L"'%ls': master password must be changed", login);
    rememberAccount();
    showTitle();
    return;
  }
  openMarketWatch(findMember(line, "symbols"));
  printTerms(line);
  rememberAccount();
  watchSymbols();
  startExperts();
  showTitle();
  runScript();
}

static void takeRefusal(const char *line) {
  wchar_t reason[128];
  readJsonText(findMember(line, "reason"), reason, 128);
  if (app.isMt4) {
    printJournal(2, L"Network", L"'%ls': connect failed [%ls]", app.account.login, reason);
  } else {
    const Credentials *account = &app.account;
    printJournal(2, L"Network", L"'%ls': authorization on %ls failed (%ls)", account->login, account->server, reason);
  }
}

static void takeLoss(void) {
  app.isOnline = false;
  if (app.isMt4) {
    printJournal(1, L"Network", L"'%ls': connection lost", app.account.login);
  } else {
    printJournal(1, L"Network", L"'%ls': connection to %ls lost", app.account.login, app.account.server);
  }
  pauseExperts();
  showTitle();
}

static void takePing(double pingMs) {
  /* A negative number is a measurement between two reports: it is shown, not printed. */
  app.pingMs = pingMs < 0 ? -pingMs : pingMs;
  if (pingMs >= 0) {
    printJournal(0, L"Network", L"'%ls': ping to current access point %ls is %.2f ms", app.account.login,
                 app.accessPoint, pingMs);
  }
}

static void printNoConnection(void) {
  if (app.isMt4) {
    printJournal(2, L"Network", L"'%ls': connect failed [No connection]", app.account.login);
  } else {
    printJournal(2, L"Network", L"'%ls': no connection to %ls", app.account.login, app.account.server);
  }
}

void takeLinkEvent(WPARAM generation, LPARAM parameter) {
  LinkEvent *event = (LinkEvent *)parameter;
  if (generation == current && !app.isClosed) {
    if (event->kind == LINK_WELCOME) takeWelcome(event->line, event->pingMs);
    if (event->kind == LINK_REFUSED) takeRefusal(event->line);
    if (event->kind == LINK_NO_CONNECTION) printNoConnection();
    if (event->kind == LINK_LOST) takeLoss();
    if (event->kind == LINK_TICKS && app.isOnline) takeTicks(event->line);
    if (event->kind == LINK_PING) takePing(event->pingMs);
  }
  free(event->line);
  free(event);
}
