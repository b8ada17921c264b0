#ifndef BERTH_TERMINAL_H
#define BERTH_TERMINAL_H

#include "blocks.h"
#include "ini.h"
#include "text.h"

#define MAX_CHARTS 100
#define MAX_SYMBOLS 512
#define MAX_URLS 64
#define MAX_ACCOUNTS 32
#define STAND_IN_BUILD 6000
#define STAND_IN_MT4_BUILD 1440

/** Messages of the terminal's own threads to its window. */
#define WM_LINK (WM_APP + 1)
#define WM_DEMO (WM_APP + 2)
/** A line that a program printed. */
#define WM_PROGRAM (WM_APP + 4)
/** Opens the dialog of the faults. */
#define WM_DIALOG (WM_APP + 3)

typedef struct {
  wchar_t login[64];
  wchar_t server[128];
  wchar_t password[128];
} Credentials;

/** A symbol of the account's server. */
typedef struct {
  wchar_t name[64];
  int digits;
  bool isSelected;
  double bid;
} Symbol;

/** An open chart: its file's content in memory, from which the file is rewritten at a clean stop. */
typedef struct {
  /** Its file in the profile; empty for a chart of the StartUp section, which is not kept. */
  wchar_t file[64];
  wchar_t symbol[64];
  wchar_t period[8];
  Part *block;
  HWND window;
  /** The expert that runs on it; empty for none. */
  wchar_t expert[128];
  bool hasStarted;
  ULONGLONG startedAt;
  /** An error of its code ended it: it stays on the chart and does nothing. */
  bool hasFailed;
  /** It wrote the line of the faults. */
  bool hasSpoken;
  /** When the wait for a symbol that the server lacks ends; 0 for no wait. */
  ULONGLONG timeoutAt;
  long long bar;
} Chart;

/** What the start file asks for. An empty text and -1 leave the terminal's own setting alone. */
typedef struct {
  wchar_t login[64];
  wchar_t password[128];
  wchar_t server[128];
  wchar_t profile[128];
  int algoTrading;
  int allowDll;
  int offOnAccountChange;
  int offOnProfileChange;
  bool keepsPassword;
  wchar_t expert[256];
  wchar_t expertParameters[256];
  wchar_t script[256];
  wchar_t symbol[64];
  wchar_t period[8];
  wchar_t startTemplate[256];
  bool shutsDown;
} StartFile;

/** What the terminal remembers in its settings file. */
typedef struct {
  wchar_t login[64];
  wchar_t server[128];
  wchar_t profile[128];
  bool algoTrading;
  bool allowDll;
  bool offOnAccountChange;
  bool offOnProfileChange;
  bool webRequest;
  wchar_t urls[MAX_URLS][256];
  size_t urlCount;
} Settings;

/** Troubles to act out: berth-faults.ini in the terminal's folder. docs/platforms/stand-in.md lists them. */
typedef struct {
  bool hang;
  bool windowless;
  bool wipeAccounts;
  bool wizard;
  bool liveUpdateDialog;
  bool switchLine;
  bool exitsWithoutAccount;
  bool refusesServices;
  int startDelayMs;
  int crashAfterMs;
  int liveUpdateAfterMs;
  int restartMs;
  int compileMs;
  int flushMs;
  int symbolTimeoutMs;
  int pingEveryMs;
  int stopDelayMs;
  int dialogAfterMs;
  /** A line that each expert writes; none without a text. */
  int expertLineAfterMs;
  int expertLineLevel;
  bool expertFails;
  /** 0: never. */
  int expertRemovedAfterMs;
  wchar_t expertLine[MAX_NAME];
  wchar_t dialogTitle[128];
  wchar_t dialogText[MAX_NAME];
} Faults;

typedef struct {
  bool isMt4;
  HINSTANCE instance;
  /** The folder of the programs and, with /portable, of the data. */
  wchar_t folder[MAX_NAME];
  wchar_t root[MAX_NAME];
  Settings settings;
  Ini settingsFile;
  Faults faults;
  StartFile start;
  bool hasStart;
  Credentials accounts[MAX_ACCOUNTS];
  size_t accountCount;
  Chart charts[MAX_CHARTS + 1];
  size_t chartCount;
  Symbol symbols[MAX_SYMBOLS];
  size_t symbolCount;
  /** The account of the last login; `isOnline` while its connection stands. */
  Credentials account;
  wchar_t company[128];
  wchar_t accessPoint[128];
  bool keepsPassword;
  bool isOnline;
  bool isInvestor;
  bool isDemo;
  double balance;
  double pingMs;
  int build;
  bool isClosed;
  /** The script of the StartUp section that waits for the login; empty for none. */
  wchar_t script[128];
  size_t scriptChart;
  HWND window;
  HWND client;
  HWND list;
  HWND status;
} Terminal;

/** The one terminal of this process. All but the threads of link.c runs on its window's thread. */
extern Terminal app;

/* life.c */
void startTerminal(bool startsUp);
/** Stops cleanly: experts removed, options and charts rewritten, the journals ended. */
void closeTerminal(void);
void openStartFile(const wchar_t *given);
/** Whether the name of a server asks for a trouble: it begins with the word. */
bool hasTrouble(const wchar_t *server, const wchar_t *trouble);
void printCompiled(void);

/* journal.c: lines wait for a moment before they reach the disk, as in a real terminal. */
void printJournal(int level, const wchar_t *source, const wchar_t *format, ...);
void printExperts(int level, const wchar_t *source, const wchar_t *format, ...);
void flushJournals(void);

/* settings.c, accounts.c, faults.c */
void loadSettings(void);
void saveSettings(void);
void setAlgoTrading(bool isOn, const wchar_t *reason);
void readFaults(void);
/** False where the file came from elsewhere: it is deleted then. */
bool loadAccounts(void);
void saveAccount(const Credentials *account);
/** NULL where the account is not kept; an empty server fits any. */
const Credentials *findAccount(const wchar_t *login, const wchar_t *server);

/* mcp.c */
void openMcpServer(void);

/* seal.c: a simulation of what binds a file to its machine. It hides nothing from anybody who reads this source. */
void sealText(const wchar_t *text, Text *hex);
bool openSealed(const wchar_t *hex, Text *text);

/* start-file.c */
bool parseStartFile(const wchar_t *path);

/* platform.c: where MetaTrader 5 and 4 differ. Paths relative to the root, texts of the journal. */
const wchar_t *pathOf(const wchar_t *what);
void toPlace(const Chart *chart, wchar_t *place);
void printLoaded(const wchar_t *kind, const wchar_t *name, const Chart *chart);
void printRemoved(const wchar_t *kind, const wchar_t *name, const Chart *chart);
void printProgram(const wchar_t *name, const Chart *chart, const wchar_t *message);
void printProgramAt(int level, const wchar_t *name, const Chart *chart, const wchar_t *message);
/** MetaTrader 4 writes the folder of a program only when it loads the program. */
const wchar_t *withoutFolder(const wchar_t *name);
void readPeriod(const Part *block, wchar_t *period);
void writePeriod(Part *block, const wchar_t *period);
int minutesOf(const wchar_t *period);
/** The code of a period's name; H1 for an unknown one. */
const wchar_t *toPeriod(const wchar_t *name);

/* charts.c */
void openProfile(void);
void saveProfile(void);
Chart *addChart(const wchar_t *file, Part *block);
/** Puts the StartUp section's chart, expert and script in place. */
void prepareStartUp(void);

/* experts.c */
void loadExpert(Chart *chart);
void startExperts(void);
void pauseExperts(void);
void removeExperts(void);
void takeTime(long long seconds);
void tickExperts(void);
/** Carries the waiting script out as far as it can be. */
void runScript(void);

/* symbols.c */
void openMarketWatch(const char *symbols);
void saveMarketWatch(void);
size_t selectAllSymbols(void);
void selectSymbol(const wchar_t *name);
Symbol *findSymbol(const wchar_t *name);
void watchSymbols(void);
void takeTicks(const char *line);

/* account.c */
void logInAtStart(const wchar_t *login);
void useAccount(const Credentials *credentials, bool keepsPassword);
void takeLinkEvent(WPARAM generation, LPARAM event);

/* main-window.c, charts-view.c */
void createMainWindow(void);
void showTitle(void);
void showJournalLine(const wchar_t *time, const wchar_t *source, const wchar_t *message);
void showChart(Chart *chart);
void registerChartWindow(void);
/** Leaves for an update, as LiveUpdate does: this process ends, another one starts later. */
void leaveForUpdate(void);

/* options-dialog.c, wizard.c, dialogs.c */
void openOptions(void);
void openWizard(void);
void openLiveUpdateDialog(void);
void openFaultDialog(void);
/** A dialog that cannot be closed, and nothing else. */
void hangForever(void);

#endif
