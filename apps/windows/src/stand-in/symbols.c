#include <stdio.h>
#include <string.h>

#include "json.h"
#include "link.h"
#include "terminal.h"

/** What a terminal shows before anybody chose. */
#define FIRST_SYMBOLS 9

static void toFile(wchar_t *path) {
  wchar_t server[128];
  wcscpy(server, app.account.server);
  for (wchar_t *at = server; *at != 0; at++) {
    if (*at < 0x20 || wcschr(L"\\/:*?\"<>|", *at) != NULL) *at = L'_';
  }
  if (app.isMt4) {
    _snwprintf(path, MAX_NAME - 1, L"%ls\\history\\%ls\\symbols.sel", app.root, server);
  } else {
    _snwprintf(path, MAX_NAME - 1, L"%ls\\Bases\\%ls\\symbols\\selected-%ls.dat", app.root, server, app.account.login);
  }
}

Symbol *findSymbol(const wchar_t *name) {
  for (size_t index = 0; index < app.symbolCount; index++) {
    if (wcscmp(app.symbols[index].name, name) == 0) return &app.symbols[index];
  }
  return NULL;
}

void selectSymbol(const wchar_t *name) {
  Symbol *symbol = findSymbol(name);
  if (symbol != NULL) symbol->isSelected = true;
}

void openMarketWatch(const char *symbols) {
  wchar_t path[MAX_NAME];
  wchar_t line[MAX_LINE];
  Text text = {0};
  app.symbolCount = 0;
  for (const char *item = firstItem(symbols); item != NULL && app.symbolCount < MAX_SYMBOLS; item = nextItem(item)) {
    Symbol *symbol = &app.symbols[app.symbolCount++];
    const char *name = firstItem(item);
    memset(symbol, 0, sizeof *symbol);
    readJsonText(name, symbol->name, 64);
    symbol->digits = name == NULL ? 5 : (int)readJsonNumber(nextItem(name), 5);
    if (symbol->digits < 0 || symbol->digits > 8) symbol->digits = 5;
  }
  toFile(path);
  bool isKept = readTextFile(path, &text);
  const wchar_t *at = text.chars;
  while (isKept && nextLine(&at, line)) selectSymbol(line);
  for (size_t index = 0; !isKept && index < app.symbolCount && index < FIRST_SYMBOLS; index++) {
    app.symbols[index].isSelected = true;
  }
  freeText(&text);
  for (size_t index = 0; index < app.chartCount; index++) selectSymbol(app.charts[index].symbol);
}

void saveMarketWatch(void) {
  wchar_t path[MAX_NAME];
  Text text = {0};
  if (app.symbolCount == 0) return;
  for (size_t index = 0; index < app.symbolCount; index++) {
    if (app.symbols[index].isSelected) addFormat(&text, L"%ls\r\n", app.symbols[index].name);
  }
  toFile(path);
  writeTextFile(path, &text, false);
  freeText(&text);
}

size_t selectAllSymbols(void) {
  for (size_t index = 0; index < app.symbolCount; index++) app.symbols[index].isSelected = true;
  saveMarketWatch();
  return app.symbolCount;
}

void watchSymbols(void) {
  Text line = {0};
  size_t count = 0;
  addText(&line, L"{\"type\":\"watch\",\"symbols\":[");
  for (size_t index = 0; index < app.symbolCount && count < 256; index++) {
    if (!app.symbols[index].isSelected) continue;
    if (count++ > 0) addText(&line, L",");
    addJsonText(&line, app.symbols[index].name);
  }
  addText(&line, L"]}\n");
  sendLine(line.chars);
  freeText(&line);
}

void takeTicks(const char *line) {
  for (const char *item = firstItem(findMember(line, "ticks")); item != NULL; item = nextItem(item)) {
    wchar_t name[64];
    const char *first = firstItem(item);
    readJsonText(first, name, 64);
    Symbol *symbol = findSymbol(name);
    if (symbol != NULL) symbol->bid = readJsonNumber(nextItem(first), symbol->bid);
  }
  takeTime((long long)readJsonNumber(findMember(line, "time"), 0));
  for (size_t index = 0; index < app.chartCount; index++) {
    if (app.charts[index].window != NULL) InvalidateRect(app.charts[index].window, NULL, FALSE);
  }
}
