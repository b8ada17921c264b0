#include <stdio.h>
#include <string.h>
#include <time.h>

#include "programs.h"
#include "terminal.h"

#define LOADED L"loaded by the Berth stand-in, which does not run MQL code"

/** Loads the expert of a chart. A missing program leaves no line in the journal: that is how a real terminal fails. */
void loadExpert(Chart *chart) {
  wchar_t path[MAX_NAME];
  const Part *expert = findBlock(chart->block, L"expert");
  const wchar_t *name = expert == NULL ? NULL : findValue(expert, L"name");
  const wchar_t *program = expert == NULL ? NULL : findValue(expert, L"path");
  if (name == NULL) return;
  if (app.isMt4 || program == NULL) {
    _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls\\%ls%ls", app.root, pathOf(L"experts"), name, pathOf(L"ending"));
  } else {
    _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls\\%ls", app.root, pathOf(L"programs"), program);
  }
  path[MAX_NAME - 1] = 0;
  if (wcsstr(path, L"..") != NULL || !fileExists(path)) return;
  wcsncpy(chart->expert, name, 127);
  printLoaded(L"expert", chart->expert, chart);
  startProgram(path, false);
}

static void printInputs(const Chart *chart) {
  Text line = {0};
  const Part *expert = findBlock(chart->block, L"expert");
  const Part *inputs = expert == NULL ? NULL : findBlock(expert, L"inputs");
  for (const Part *part = inputs == NULL ? NULL : inputs->first; part != NULL; part = part->next) {
    if (part->isBlock || line.length > 3000) continue;
    addFormat(&line, app.isMt4 ? L"%ls; " : line.length == 0 ? L"%ls" : L"; %ls", part->line);
  }
  const wchar_t *joined = line.chars == NULL ? L"" : line.chars;
  wchar_t place[96];
  toPlace(chart, place);
  if (app.isMt4) {
    printExperts(0, L"", L"%ls %ls inputs: %ls", withoutFolder(chart->expert), place, joined);
    printProgram(chart->expert, chart, L"initialized");
  } else {
    wchar_t message[MAX_LINE];
    _snwprintf(message, MAX_LINE - 1, L"inputs: %ls", joined);
    printProgram(chart->expert, chart, message);
  }
  printProgram(chart->expert, chart, LOADED);
  freeText(&line);
}

/** The server's symbols are known: experts start, those without a symbol begin to wait for it. */
void startExperts(void) {
  for (size_t index = 0; index < app.chartCount; index++) {
    Chart *chart = &app.charts[index];
    if (chart->expert[0] == 0 || chart->hasStarted) continue;
    if (findSymbol(chart->symbol) != NULL) {
      chart->hasStarted = true;
      chart->startedAt = GetTickCount64();
      printInputs(chart);
    } else if (chart->timeoutAt == 0) {
      chart->timeoutAt = GetTickCount64() + (ULONGLONG)app.faults.symbolTimeoutMs;
    }
  }
}

void pauseExperts(void) {
  for (size_t index = 0; index < app.chartCount; index++) app.charts[index].timeoutAt = 0;
}

static void takeOff(Chart *chart) {
  printRemoved(L"expert", chart->expert, chart);
  removeBlocks(chart->block, L"expert");
  chart->expert[0] = 0;
  chart->timeoutAt = 0;
}

static void refuse(Chart *chart) {
  wchar_t place[96];
  const wchar_t *reason = L"symbol synchronization timeout";
  toPlace(chart, place);
  if (app.isMt4) {
    printJournal(2, L"Experts", L"Expert %ls %ls: initialization failed (%ls)", withoutFolder(chart->expert), place, reason);
  } else {
    printJournal(2, L"Experts", L"initializing of %ls (%ls) failed with code 0 (%ls)", chart->expert, place, reason);
  }
  takeOff(chart);
}

/** Acts out how experts end: by an error of their code, of which the terminal says this one line only, or by themselves. */
static void endExpert(Chart *chart) {
  const Faults *faults = &app.faults;
  ULONGLONG age = GetTickCount64() - chart->startedAt;
  if (faults->expertLine[0] != 0 && !chart->hasSpoken && age >= (ULONGLONG)faults->expertLineAfterMs) {
    chart->hasSpoken = true;
    chart->hasFailed = faults->expertFails;
    printProgramAt(faults->expertLineLevel, chart->expert, chart, faults->expertLine);
  }
  if (faults->expertRemovedAfterMs != 0 && age >= (ULONGLONG)faults->expertRemovedAfterMs) takeOff(chart);
}

void tickExperts(void) {
  for (size_t index = 0; index < app.chartCount; index++) {
    Chart *chart = &app.charts[index];
    if (chart->expert[0] == 0) continue;
    if (chart->timeoutAt != 0 && GetTickCount64() >= chart->timeoutAt) refuse(chart);
    else if (chart->hasStarted) endExpert(chart);
  }
}

/** A moment of the server's clock: prints a line on every chart on which a new bar began. */
void takeTime(long long seconds) {
  for (size_t index = 0; index < app.chartCount; index++) {
    Chart *chart = &app.charts[index];
    long long span = minutesOf(chart->period) * 60LL;
    long long bar = seconds / span * span;
    if (!chart->hasStarted || chart->hasFailed || chart->expert[0] == 0) continue;
    if (chart->bar != 0 && bar > chart->bar) {
      wchar_t message[128];
      time_t opened = (time_t)bar;
      const struct tm *at = gmtime(&opened);
      const Symbol *symbol = findSymbol(chart->symbol);
      _snwprintf(message, 127, L"new bar %04d.%02d.%02d %02d:%02d, bid %.*f", at->tm_year + 1900, at->tm_mon + 1,
                 at->tm_mday, at->tm_hour, at->tm_min, symbol == NULL ? 5 : symbol->digits,
                 symbol == NULL ? 0.0 : symbol->bid);
      message[127] = 0;
      printProgram(chart->expert, chart, message);
    }
    chart->bar = bar;
  }
}

void removeExperts(void) {
  for (size_t index = 0; index < app.chartCount; index++) {
    Chart *chart = &app.charts[index];
    if (chart->expert[0] == 0) continue;
    if (chart->hasStarted && !chart->hasFailed && app.isMt4) printProgram(chart->expert, chart, L"uninit reason 9");
    printRemoved(L"expert", chart->expert, chart);
    chart->expert[0] = 0;
  }
}

/** One script is carried out, by its name, as soon as the terminal is logged in; any other is loaded and removed. */
void runScript(void) {
  static bool isLoaded;
  wchar_t message[64];
  const Chart *chart = &app.charts[app.scriptChart];
  if (app.script[0] == 0) return;
  if (!isLoaded) printLoaded(L"script", app.script, chart);
  isLoaded = true;
  if (wcscmp(app.script, L"ShowAllSymbols") == 0) {
    if (!app.isOnline) return;
    _snwprintf(message, 64, L"symbols=%u", (unsigned)selectAllSymbols());
    printProgram(app.script, chart, message);
    watchSymbols();
  } else {
    printProgram(app.script, chart, LOADED);
  }
  printRemoved(L"script", app.script, chart);
  app.script[0] = 0;
  if (app.start.shutsDown) PostMessageW(app.window, WM_CLOSE, 0, 0);
}
