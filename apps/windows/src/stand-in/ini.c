#include "ini.h"

#include <stdlib.h>
#include <string.h>

void parseIni(Ini *ini, const Text *text) {
  wchar_t line[MAX_LINE];
  wchar_t section[64] = L"";
  const wchar_t *at = text->chars;
  ini->count = 0;
  while (nextLine(&at, line)) {
    size_t length = wcslen(line);
    wchar_t *separator = wcschr(line, L'=');
    if (line[0] == L'[' && line[length - 1] == L']') {
      line[length - 1] = 0;
      wcsncpy(section, line + 1, 63);
    } else if (separator > line && line[0] != L';') {
      wchar_t *value = separator + 1;
      *separator = 0;
      while (separator > line && (separator[-1] == L' ' || separator[-1] == L'\t')) *--separator = 0;
      while (*value == L' ' || *value == L'\t') value++;
      setIni(ini, section, line, value);
    }
  }
}

const wchar_t *findIni(const Ini *ini, const wchar_t *section, const wchar_t *key) {
  for (size_t index = 0; index < ini->count; index++) {
    if (isSame(ini->entries[index].section, section) && isSame(ini->entries[index].key, key)) {
      return ini->entries[index].value;
    }
  }
  return NULL;
}

void setIni(Ini *ini, const wchar_t *section, const wchar_t *key, const wchar_t *value) {
  size_t index = 0;
  for (; index < ini->count; index++) {
    if (isSame(ini->entries[index].section, section) && isSame(ini->entries[index].key, key)) break;
  }
  if (index == MAX_ENTRIES) return;
  if (index == ini->count) {
    ini->count++;
    wcsncpy(ini->entries[index].section, section, 63);
    wcsncpy(ini->entries[index].key, key, 127);
    ini->entries[index].section[63] = ini->entries[index].key[127] = 0;
    ini->entries[index].value = NULL;
  }
  wchar_t *copy = _wcsdup(value);
  free(ini->entries[index].value);
  ini->entries[index].value = copy;
}

void writeIni(const Ini *ini, Text *text) {
  static bool isWritten[MAX_ENTRIES];
  memset(isWritten, 0, sizeof isWritten);
  for (size_t first = 0; first < ini->count; first++) {
    const wchar_t *section = ini->entries[first].section;
    if (isWritten[first]) continue;
    if (section[0] != 0) addFormat(text, L"[%ls]\r\n", section);
    for (size_t index = first; index < ini->count; index++) {
      if (!isSame(ini->entries[index].section, section)) continue;
      isWritten[index] = true;
      addText(text, ini->entries[index].key);
      addText(text, L"=");
      addText(text, ini->entries[index].value);
      addText(text, L"\r\n");
    }
  }
}

bool readFlag(const wchar_t *value, bool fallback) {
  if (value == NULL || value[0] == 0) return fallback;
  return wcscmp(value, L"1") == 0 || isSame(value, L"true");
}
