#ifndef BERTH_REQUEST_H
#define BERTH_REQUEST_H

#include "answer.h"

#define MAX_FIELDS 12
#define MAX_KEY 16

/** One member of a request: a text, or a number (true and false are 1 and 0). */
typedef struct {
  char key[MAX_KEY];
  bool isText;
  long long number;
  wchar_t text[MAX_TEXT + 1];
} Field;

/** One line of the request file: a flat JSON object. */
typedef struct {
  Field fields[MAX_FIELDS];
  size_t count;
} Request;

/** Reads a line without its end. False where it is not a flat object of texts and numbers within bounds. */
bool readRequest(const char *line, size_t length, Request *request);

const Field *findField(const Request *request, const char *key);
/** The member as a text, or NULL where it is missing or a number. */
const wchar_t *findTextField(const Request *request, const char *key);
/** False where the member is missing, a text, or outside of the bounds. */
bool findNumberField(const Request *request, const char *key, long long min, long long max, long long *number);
/** NULL where the member is missing or names no window that exists. Texts of hex digits, with or without 0x. */
HWND findHandleField(const Request *request, const char *key);

#endif
