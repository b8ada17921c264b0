#include <stdio.h>

#include "terminal.h"

static const struct {
  const wchar_t *what;
  const wchar_t *mt5;
  const wchar_t *mt4;
} paths[] = {{L"settings", L"config\\common.ini", L"config\\terminal.ini"},
             {L"accounts", L"config\\accounts.dat", L"config\\accounts.ini"},
             {L"logs", L"MQL5\\Logs", L"MQL4\\Logs"},
             {L"programs", L"MQL5", L"MQL4"},
             {L"experts", L"MQL5\\Experts", L"MQL4\\Experts"},
             {L"scripts", L"MQL5\\Scripts", L"MQL4\\Scripts"},
             {L"presets", L"MQL5\\Presets", L"MQL4\\Presets"},
             {L"profiles", L"MQL5\\Profiles\\Charts", L"profiles"},
             {L"templates", L"MQL5\\Profiles\\Templates", L"templates"},
             {L"ending", L".ex5", L".ex4"}};

const wchar_t *pathOf(const wchar_t *what) {
  for (size_t index = 0; index < sizeof paths / sizeof paths[0]; index++) {
    if (wcscmp(paths[index].what, what) == 0) return app.isMt4 ? paths[index].mt4 : paths[index].mt5;
  }
  return L"";
}

static const struct {
  const wchar_t *code;
  int minutes;
} periods[] = {{L"M1", 1},    {L"M2", 2},    {L"M3", 3},    {L"M4", 4},    {L"M5", 5},    {L"M6", 6},     {L"M10", 10},
               {L"M12", 12},  {L"M15", 15},  {L"M20", 20},  {L"M30", 30},  {L"H1", 60},   {L"H2", 120},   {L"H3", 180},
               {L"H4", 240},  {L"H6", 360},  {L"H8", 480},  {L"H12", 720}, {L"D1", 1440}, {L"W1", 10080},
               {L"MN1", 43200}};

#define PERIODS (sizeof periods / sizeof periods[0])

const wchar_t *toPeriod(const wchar_t *name) {
  for (size_t index = 0; index < PERIODS; index++) {
    if (isSame(periods[index].code, name)) return periods[index].code;
  }
  return L"H1";
}

int minutesOf(const wchar_t *period) {
  for (size_t index = 0; index < PERIODS; index++) {
    if (isSame(periods[index].code, period)) return periods[index].minutes;
  }
  return 60;
}

static void takeMinutes(int minutes, wchar_t *period) {
  wcscpy(period, L"H1");
  for (size_t index = 0; index < PERIODS; index++) {
    if (periods[index].minutes == minutes) wcscpy(period, periods[index].code);
  }
}

/**
 * Minutes are (0, n), hours and the day (1, n), the week (2, 1), the month (3, 1): how MetaTrader 5 stores a period.
 */
void readPeriod(const Part *block, wchar_t *period) {
  static const int units[] = {1, 60, 10080, 43200};
  const wchar_t *type = findValue(block, L"period_type");
  const wchar_t *size = findValue(block, L"period_size");
  if (app.isMt4) {
    const wchar_t *minutes = findValue(block, L"period");
    takeMinutes(minutes == NULL ? 60 : _wtoi(minutes), period);
    return;
  }
  int unit = type == NULL ? 1 : _wtoi(type);
  takeMinutes(units[unit < 0 || unit > 3 ? 1 : unit] * (size == NULL ? 1 : _wtoi(size)), period);
}

void writePeriod(Part *block, const wchar_t *period) {
  wchar_t digits[16];
  int minutes = minutesOf(period);
  if (app.isMt4) {
    _snwprintf(digits, 16, L"%d", minutes);
    setValue(block, L"period", digits);
    return;
  }
  int type = minutes >= 43200 ? 3 : minutes >= 10080 ? 2 : minutes >= 60 ? 1 : 0;
  _snwprintf(digits, 16, L"%d", type);
  setValue(block, L"period_type", digits);
  _snwprintf(digits, 16, L"%d", type >= 2 ? 1 : type == 1 ? minutes / 60 : minutes);
  setValue(block, L"period_size", digits);
}

void toPlace(const Chart *chart, wchar_t *place) { _snwprintf(place, 96, L"%ls,%ls", chart->symbol, chart->period); }

const wchar_t *withoutFolder(const wchar_t *name) {
  const wchar_t *end = wcsrchr(name, L'\\');
  return end == NULL ? name : end + 1;
}

static void printChange(const wchar_t *kind, const wchar_t *name, const Chart *chart, const wchar_t *change) {
  wchar_t place[96];
  toPlace(chart, place);
  const wchar_t *source = kind[0] == L's' ? L"Scripts" : L"Experts";
  if (app.isMt4) {
    wchar_t big[16];
    wcscpy(big, kind);
    big[0] = (wchar_t)towupper(big[0]);
    printJournal(0, source, L"%ls %ls %ls: %ls", big, name, place, change);
  } else {
    printJournal(0, source, L"%ls %ls (%ls) %ls", kind, name, place, change);
  }
}

void printLoaded(const wchar_t *kind, const wchar_t *name, const Chart *chart) {
  printChange(kind, name, chart, L"loaded successfully");
}

void printRemoved(const wchar_t *kind, const wchar_t *name, const Chart *chart) {
  printChange(kind, withoutFolder(name), chart, L"removed");
}

/** A line of a program: MetaTrader 5 has a column for its name, MetaTrader 4 writes it before the text. */
void printProgramAt(int level, const wchar_t *name, const Chart *chart, const wchar_t *message) {
  wchar_t place[96];
  wchar_t source[MAX_NAME];
  toPlace(chart, place);
  _snwprintf(source, MAX_NAME - 1, L"%ls (%ls)", name, place);
  if (app.isMt4) {
    printExperts(level, L"", L"%ls %ls: %ls", withoutFolder(name), place, message);
  } else {
    printExperts(level, source, L"%ls", message);
  }
}

void printProgram(const wchar_t *name, const Chart *chart, const wchar_t *message) {
  printProgramAt(0, name, chart, message);
}
