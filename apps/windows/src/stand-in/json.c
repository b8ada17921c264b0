#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char *skipBlanks(const char *at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

static const char *skipText(const char *at) {
  for (at++; *at != 0 && *at != '"'; at++) {
    if (*at == '\\' && at[1] != 0) at++;
  }
  return *at == 0 ? at : at + 1;
}

/** Behind a value, whatever it holds. */
static const char *skipValue(const char *at) {
  int depth = 0;
  at = skipBlanks(at);
  do {
    if (*at == '"') {
      at = skipText(at);
      continue;
    }
    if (*at == '{' || *at == '[') depth++;
    if (*at == '}' || *at == ']') depth--;
    if (*at != 0 && depth >= 0) at++;
    if (depth == 0 && (*at == ',' || *at == '}' || *at == ']')) break;
  } while (*at != 0 && (depth > 0 || (*at != ',' && *at != '}' && *at != ']')));
  return skipBlanks(at);
}

const char *findMember(const char *object, const char *key) {
  if (object == NULL) return NULL;
  size_t length = strlen(key);
  const char *at = skipBlanks(object);
  if (*at != '{') return NULL;
  at = skipBlanks(at + 1);
  while (*at == '"') {
    const char *name = at + 1;
    at = skipBlanks(skipText(at));
    if (*at != ':') return NULL;
    const char *value = skipBlanks(at + 1);
    if (strncmp(name, key, length) == 0 && name[length] == '"') return value;
    at = skipValue(value);
    if (*at != ',') return NULL;
    at = skipBlanks(at + 1);
  }
  return NULL;
}

const char *firstItem(const char *array) {
  if (array == NULL || *skipBlanks(array) != '[') return NULL;
  const char *at = skipBlanks(skipBlanks(array) + 1);
  return *at == ']' || *at == 0 ? NULL : at;
}

const char *nextItem(const char *item) {
  const char *at = skipValue(item);
  return *at == ',' ? skipBlanks(at + 1) : NULL;
}

void readJsonText(const char *value, wchar_t *text, size_t max) {
  char bytes[1024];
  size_t length = 0;
  text[0] = 0;
  if (value == NULL || *value != '"') return;
  for (const char *at = value + 1; *at != 0 && *at != '"' && length < sizeof bytes - 1; at++) {
    if (*at == '\\' && at[1] != 0) at++;
    bytes[length++] = *at;
  }
  bytes[length] = 0;
  fromUtf8(text, max, bytes);
}

double readJsonNumber(const char *value, double fallback) {
  return value == NULL || *value == '"' || *value == 'n' ? fallback : strtod(value, NULL);
}

bool isJsonTrue(const char *value) { return value != NULL && strncmp(value, "true", 4) == 0; }

void addJsonText(Text *text, const wchar_t *value) {
  addText(text, L"\"");
  for (; *value != 0; value++) {
    wchar_t one[2] = {*value, 0};
    if (*value == L'"' || *value == L'\\') addText(text, L"\\");
    if (*value >= 0x20) addText(text, one);
  }
  addText(text, L"\"");
}
