#include "request.h"

#include <string.h>

/** Where the reader of a line stands; `at` never passes `end`. */
typedef struct {
  const char *at;
  const char *end;
} Reader;

static void skipBlanks(Reader *reader) {
  while (reader->at < reader->end && strchr(" \t\r", *reader->at) != NULL) reader->at++;
}

static bool take(Reader *reader, char expected) {
  skipBlanks(reader);
  if (reader->at == reader->end || *reader->at != expected) return false;
  reader->at++;
  return true;
}

static bool takeWord(Reader *reader, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) return false;
  reader->at += length;
  return true;
}

/** Four hex digits of an escape. */
static bool takeUnit(Reader *reader, unsigned *unit) {
  if (reader->end - reader->at < 4) return false;
  *unit = 0;
  for (int digit = 0; digit < 4; digit++) {
    char c = *reader->at++;
    unsigned value = c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 32) - 'a' + 10;
    if (value > 15) return false;
    *unit = *unit * 16 + value;
  }
  return true;
}

static bool takeEscape(Reader *reader, unsigned *unit) {
  static const char names[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  if (reader->at == reader->end) return false;
  char name = *reader->at++;
  if (name == 'u') return takeUnit(reader, unit);
  const char *found = name == 0 ? NULL : strchr(names, name);
  if (found == NULL) return false;
  *unit = (unsigned char)meanings[found - names];
  return true;
}

/** A JSON text. A NUL in it would end it early for Windows, so it is refused. */
static bool takeText(Reader *reader, wchar_t *text, size_t max) {
  size_t length = 0;
  if (!take(reader, '"')) return false;
  while (reader->at < reader->end && *reader->at != '"') {
    unsigned unit;
    if (*reader->at == '\\') {
      reader->at++;
      if (!takeEscape(reader, &unit) || unit == 0 || length + 1 > max) return false;
      text[length++] = (wchar_t)unit;
      continue;
    }
    const char *start = reader->at;
    while (reader->at < reader->end && *reader->at != '"' && *reader->at != '\\') {
      if ((unsigned char)*reader->at < 0x20) return false;
      reader->at++;
    }
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, start, (int)(reader->at - start), text + length,
                                    (int)(max - length));
    if (count <= 0) return false;
    length += (size_t)count;
  }
  text[length] = 0;
  return take(reader, '"');
}

static bool takeNumber(Reader *reader, long long *number) {
  bool isNegative = takeWord(reader, "-");
  const char *start = reader->at;
  *number = 0;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9' && reader->at - start < 15) {
    *number = *number * 10 + (*reader->at++ - '0');
  }
  if (isNegative) *number = -*number;
  return reader->at > start;
}

static bool takeValue(Reader *reader, Field *field) {
  skipBlanks(reader);
  field->isText = reader->at < reader->end && *reader->at == '"';
  if (field->isText) return takeText(reader, field->text, MAX_TEXT);
  if (takeWord(reader, "true")) {
    field->number = 1;
    return true;
  }
  if (takeWord(reader, "false")) {
    field->number = 0;
    return true;
  }
  return takeNumber(reader, &field->number);
}

static bool takeField(Reader *reader, Field *field) {
  wchar_t key[MAX_KEY];
  if (!takeText(reader, key, MAX_KEY - 1)) return false;
  for (size_t index = 0; index < MAX_KEY; index++) {
    if (key[index] > 0x7e) return false;
    field->key[index] = (char)key[index];
    if (key[index] == 0) break;
  }
  return take(reader, ':') && takeValue(reader, field);
}

bool readRequest(const char *line, size_t length, Request *request) {
  Reader reader = {line, line + length};
  request->count = 0;
  if (!take(&reader, '{')) return false;
  if (!take(&reader, '}')) {
    do {
      if (request->count == MAX_FIELDS || !takeField(&reader, &request->fields[request->count])) return false;
      request->count++;
    } while (take(&reader, ','));
    if (!take(&reader, '}')) return false;
  }
  skipBlanks(&reader);
  return reader.at == reader.end;
}

const Field *findField(const Request *request, const char *key) {
  for (size_t index = 0; index < request->count; index++) {
    if (strcmp(request->fields[index].key, key) == 0) return &request->fields[index];
  }
  return NULL;
}

const wchar_t *findTextField(const Request *request, const char *key) {
  const Field *field = findField(request, key);
  return field != NULL && field->isText ? field->text : NULL;
}

bool findNumberField(const Request *request, const char *key, long long min, long long max, long long *number) {
  const Field *field = findField(request, key);
  if (field == NULL || field->isText || field->number < min || field->number > max) return false;
  *number = field->number;
  return true;
}

HWND findHandleField(const Request *request, const char *key) {
  const wchar_t *text = findTextField(request, key);
  ULONG_PTR value = 0;
  if (text == NULL) return NULL;
  if (text[0] == L'0' && text[1] == L'x') text += 2;
  for (size_t index = 0; text[index] != 0; index++) {
    wchar_t c = text[index];
    unsigned digit = c >= L'0' && c <= L'9' ? (unsigned)(c - L'0') : ((unsigned)c | 32) - 'a' + 10;
    if (digit > 15 || index == 16) return NULL;
    value = value * 16 + digit;
  }
  return IsWindow((HWND)value) ? (HWND)value : NULL;
}
