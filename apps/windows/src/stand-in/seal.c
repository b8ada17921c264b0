#include <stdio.h>
#include <stdlib.h>

#include "terminal.h"

#define MAX_SEALED 60000

/** What every opened text begins with: from another machine or folder something else comes out. */
static const wchar_t mark[] = L"BERTH SIMULATED SEAL\n";

/** A key out of the prefix's machine id and the folder, as a real terminal's saved accounts depend on both. */
static unsigned long long toKey(void) {
  wchar_t guid[128] = L"";
  DWORD size = sizeof guid;
  unsigned long long key = 14695981039346656037ull;
  const wchar_t *place = L"Software\\Microsoft\\Cryptography";
  DWORD kind = RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY;
  RegGetValueW(HKEY_LOCAL_MACHINE, place, L"MachineGuid", kind, NULL, guid, &size);
  for (const wchar_t *at = guid; *at != 0; at++) key = (key ^ *at) * 1099511628211ull;
  for (const wchar_t *at = app.root; *at != 0; at++) key = (key ^ (wchar_t)towlower(*at)) * 1099511628211ull;
  return key;
}

static unsigned nextOf(unsigned long long *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (unsigned)(*state >> 32) & 0xffff;
}

void sealText(const wchar_t *text, Text *hex) {
  unsigned long long state = toKey();
  for (const wchar_t *at = mark; *at != 0; at++) addFormat(hex, L"%04X", *at ^ nextOf(&state));
  for (const wchar_t *at = text; *at != 0; at++) addFormat(hex, L"%04X", *at ^ nextOf(&state));
}

bool openSealed(const wchar_t *hex, Text *text) {
  unsigned long long state = toKey();
  size_t length = wcslen(hex) / 4;
  if (length > MAX_SEALED) return false;
  clearText(text);
  for (size_t index = 0; index < length; index++) {
    wchar_t digits[5] = {hex[index * 4], hex[index * 4 + 1], hex[index * 4 + 2], hex[index * 4 + 3], 0};
    wchar_t unit[2] = {(wchar_t)(wcstoul(digits, NULL, 16) ^ nextOf(&state)), 0};
    if (index < wcslen(mark) && unit[0] != mark[index]) return false;
    if (index >= wcslen(mark)) addText(text, unit);
  }
  return length >= wcslen(mark);
}
