#ifndef BERTH_INI_H
#define BERTH_INI_H

#include "text.h"

#define MAX_ENTRIES 512

/** The entries of an INI text in their order; keys before the first section are in the section named "". */
typedef struct {
  size_t count;
  struct {
    wchar_t section[64];
    wchar_t key[128];
    wchar_t *value;
  } entries[MAX_ENTRIES];
} Ini;

void parseIni(Ini *ini, const Text *text);
/** Found without regard to case; NULL where there is none. */
const wchar_t *findIni(const Ini *ini, const wchar_t *section, const wchar_t *key);
void setIni(Ini *ini, const wchar_t *section, const wchar_t *key, const wchar_t *value);
void writeIni(const Ini *ini, Text *text);
/** 1 and true are true, a missing or empty value is the fallback. */
bool readFlag(const wchar_t *value, bool fallback);

#endif
