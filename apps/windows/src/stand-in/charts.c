#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

static void toProfileFile(const wchar_t *profile, const wchar_t *file, wchar_t *path) {
  _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls\\%ls\\%ls", app.root, pathOf(L"profiles"), profile, file);
  path[MAX_NAME - 1] = 0;
}

Chart *addChart(const wchar_t *file, Part *block) {
  const wchar_t *symbol = findValue(block, L"symbol");
  if (symbol == NULL || symbol[0] == 0 || app.chartCount > MAX_CHARTS) {
    freePart(block);
    return NULL;
  }
  Chart *chart = &app.charts[app.chartCount++];
  memset(chart, 0, sizeof *chart);
  wcsncpy(chart->file, file, 63);
  wcsncpy(chart->symbol, symbol, 63);
  chart->block = block;
  readPeriod(block, chart->period);
  return chart;
}

static bool isProfileName(const wchar_t *name) {
  return name[0] != 0 && name[0] != L'.' && wcspbrk(name, L"\\/:") == NULL;
}

/** The first of the named profiles that has an order file; else the default one. */
static void chooseProfile(wchar_t *profile) {
  const wchar_t *named[] = {app.start.profile, app.settings.profile};
  wchar_t path[MAX_NAME];
  for (size_t index = 0; index < 2; index++) {
    if (!isProfileName(named[index])) continue;
    toProfileFile(named[index], L"order.wnd", path);
    if (!fileExists(path)) continue;
    wcscpy(profile, named[index]);
    return;
  }
  wcscpy(profile, app.isMt4 ? L"default" : L"Default");
}

static void openChart(const wchar_t *profile, const wchar_t *file) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  size_t length = wcslen(file);
  if (length < 5 || length > 60 || !isProfileName(file) || !isSame(file + length - 4, L".chr")) return;
  toProfileFile(profile, file, path);
  Part *block = readTextFile(path, &text) ? parseBlocks(&text) : NULL;
  if (block != NULL) addChart(file, block);
  freeText(&text);
}

/** MetaTrader 4 lists captions in its order file, and opens what is in the folder, which Windows lists by name. */
static void openFolder(const wchar_t *profile) {
  wchar_t pattern[MAX_NAME];
  WIN32_FIND_DATAW found;
  toProfileFile(profile, L"*.chr", pattern);
  HANDLE search = FindFirstFileW(pattern, &found);
  if (search == INVALID_HANDLE_VALUE) return;
  do openChart(profile, found.cFileName);
  while (FindNextFileW(search, &found));
  FindClose(search);
}

static const wchar_t *toLongPeriod(const wchar_t *period) {
  if (isSame(period, L"D1")) return L"Daily";
  if (isSame(period, L"W1")) return L"Weekly";
  return isSame(period, L"MN1") ? L"Monthly" : period;
}

void openProfile(void) {
  wchar_t profile[128];
  wchar_t path[MAX_NAME];
  wchar_t line[MAX_LINE];
  Text order = {0};
  Settings *settings = &app.settings;
  chooseProfile(profile);
  toProfileFile(profile, L"order.wnd", path);
  readTextFile(path, &order);
  const wchar_t *at = order.chars;
  while (!app.isMt4 && nextLine(&at, line)) openChart(profile, line);
  if (app.isMt4) openFolder(profile);
  freeText(&order);
  bool hasChanged = !isSame(settings->profile, profile);
  wcscpy(settings->profile, profile);
  if (hasChanged && settings->offOnProfileChange && settings->algoTrading) {
    setAlgoTrading(false, L" because the profile has been changed");
  }
}

/** Rewrites every chart and the order; what was edited on disk meanwhile is lost, as in a real terminal. */
void saveProfile(void) {
  wchar_t path[MAX_NAME];
  wchar_t id[32];
  Text order = {0};
  for (size_t index = 0; index < app.chartCount; index++) {
    Chart *chart = &app.charts[index];
    Text text = {0};
    if (chart->file[0] == 0) continue;
    if (findValue(chart->block, L"id") == NULL) {
      FILETIME now;
      GetSystemTimeAsFileTime(&now);
      unsigned long long time = ((unsigned long long)now.dwHighDateTime << 32 | now.dwLowDateTime) / 10;
      _snwprintf(id, 32, L"%llu", 130000000000000000ull + time % 1000000000000ull * 1000 + index);
      setValue(chart->block, L"id", id);
    }
    writeBlock(chart->block, &text);
    toProfileFile(app.settings.profile, chart->file, path);
    writeTextFile(path, &text, !app.isMt4);
    freeText(&text);
    if (app.isMt4) addFormat(&order, L"%ls,%ls\r\n", chart->symbol, toLongPeriod(chart->period));
    else addFormat(&order, L"%ls\r\n", chart->file);
  }
  toProfileFile(app.settings.profile, L"order.wnd", path);
  writeTextFile(path, &order, !app.isMt4);
  freeText(&order);
}

/** Takes the values of a preset: `Name=value`, of which an optimisation range `||…` is not an input's value. */
static void applyPreset(Part *inputs, const Text *preset) {
  wchar_t line[MAX_LINE];
  const wchar_t *at = preset->chars;
  while (nextLine(&at, line)) {
    wchar_t *separator = wcschr(line, L'=');
    if (separator == NULL || separator == line || line[0] == L';') continue;
    wchar_t *range = wcsstr(separator, L"||");
    if (range != NULL) *range = 0;
    *separator = 0;
    setValue(inputs, line, separator + 1);
  }
}

static Part *newExpert(const wchar_t *name) {
  wchar_t path[MAX_NAME];
  const wchar_t *shortName = wcsrchr(name, L'\\');
  Part *expert = newBlock(L"expert");
  if (app.isMt4) {
    setValue(expert, L"name", name);
    setValue(expert, L"flags", L"343");
    setValue(expert, L"window_num", L"0");
  } else {
    _snwprintf(path, MAX_NAME - 1, L"Experts\\%ls.ex5", name);
    setValue(expert, L"name", shortName == NULL ? name : shortName + 1);
    setValue(expert, L"path", path);
    setValue(expert, L"expertmode", L"33");
  }
  insertBlock(expert, newBlock(L"inputs"));
  return expert;
}

static bool readBelow(const wchar_t *folder, const wchar_t *file, Text *text) {
  wchar_t below[MAX_NAME];
  wchar_t path[MAX_NAME];
  if (file[0] == 0 || !isInside(file)) return false;
  joinPath(below, app.root, pathOf(folder));
  joinPath(path, below, file);
  return readTextFile(path, text);
}

static bool programExists(const wchar_t *folder, const wchar_t *name) {
  wchar_t path[MAX_NAME];
  if (name[0] == 0 || !isInside(name)) return false;
  _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls\\%ls%ls", app.root, pathOf(folder), name, pathOf(L"ending"));
  return fileExists(path);
}

static Chart *openStartUpChart(const StartFile *start) {
  if (start->symbol[0] == 0) return app.chartCount > 0 ? &app.charts[0] : NULL;
  Part *block = newBlock(L"chart");
  setValue(block, L"symbol", start->symbol);
  setValue(block, L"windows_total", L"1");
  insertBlock(block, newBlock(L"window"));
  writePeriod(block, start->period);
  return addChart(L"", block);
}

void prepareStartUp(void) {
  StartFile *start = &app.start;
  Text text = {0};
  if (start->expert[0] == 0 && start->script[0] == 0 && start->symbol[0] == 0) return;
  Chart *chart = openStartUpChart(start);
  if (chart == NULL) return;
  Part *block = readBelow(L"templates", start->startTemplate, &text) ? parseBlocks(&text) : NULL;
  if (block != NULL) {
    setValue(block, L"symbol", chart->symbol);
    writePeriod(block, chart->period);
    freePart(chart->block);
    chart->block = block;
  }
  for (wchar_t *at = start->expert; *at != 0; at++) {
    if (*at == L'/') *at = L'\\';
  }
  if (programExists(L"experts", start->expert)) {
    Part *expert = newExpert(start->expert);
    if (readBelow(L"presets", start->expertParameters, &text)) applyPreset(findBlock(expert, L"inputs"), &text);
    removeBlocks(chart->block, L"expert");
    insertBlock(chart->block, expert);
  }
  if (programExists(L"scripts", start->script)) {
    const wchar_t *name = wcsrchr(start->script, L'\\');
    wcsncpy(app.script, name == NULL ? start->script : name + 1, 127);
    app.scriptChart = (size_t)(chart - app.charts);
  }
  freeText(&text);
}
