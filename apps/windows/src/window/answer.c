#include "answer.h"

#include <stdio.h>
#include <string.h>

static void putBytes(Answer *answer, const char *bytes, size_t count) {
  if (answer->isFull || answer->length + count > MAX_ANSWER_BYTES) {
    answer->isFull = true;
    return;
  }
  memcpy(answer->bytes + answer->length, bytes, count);
  answer->length += count;
}

size_t placeOf(const Answer *answer) { return answer->length; }

void returnTo(Answer *answer, size_t place) {
  answer->length = place;
  answer->isFull = false;
}

bool isOverfull(const Answer *answer) {
  return answer->isFull || answer->length > MAX_ANSWER_BYTES - RESERVED_BYTES;
}

/** A comma belongs before everything but the first thing of a line, of brackets, and of a member's value. */
static void putComma(Answer *answer) {
  char last = answer->length == 0 ? '\n' : answer->bytes[answer->length - 1];
  if (last != '\n' && last != '{' && last != '[' && last != ':') putBytes(answer, ",", 1);
}

void putOpening(Answer *answer, char bracket) {
  putComma(answer);
  putBytes(answer, &bracket, 1);
}

void putClosing(Answer *answer, char bracket) { putBytes(answer, &bracket, 1); }

void putKey(Answer *answer, const char *key) {
  putComma(answer);
  putBytes(answer, "\"", 1);
  putBytes(answer, key, strlen(key));
  putBytes(answer, "\":", 2);
}

static void putCodePoint(Answer *answer, unsigned point) {
  char bytes[4];
  size_t count = 0;
  if (point < 0x80) {
    bytes[count++] = (char)point;
  } else if (point < 0x800) {
    bytes[count++] = (char)(0xc0 | (point >> 6));
    bytes[count++] = (char)(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    bytes[count++] = (char)(0xe0 | (point >> 12));
    bytes[count++] = (char)(0x80 | ((point >> 6) & 0x3f));
    bytes[count++] = (char)(0x80 | (point & 0x3f));
  } else {
    bytes[count++] = (char)(0xf0 | (point >> 18));
    bytes[count++] = (char)(0x80 | ((point >> 12) & 0x3f));
    bytes[count++] = (char)(0x80 | ((point >> 6) & 0x3f));
    bytes[count++] = (char)(0x80 | (point & 0x3f));
  }
  putBytes(answer, bytes, count);
}

static void putEscaped(Answer *answer, unsigned point) {
  if (point == '"' || point == '\\') {
    char pair[2] = {'\\', (char)point};
    putBytes(answer, pair, 2);
  } else if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029) {
    char escape[8];
    snprintf(escape, sizeof escape, "\\u%04x", point);
    putBytes(answer, escape, 6);
  } else {
    putCodePoint(answer, point);
  }
}

void putText(Answer *answer, const wchar_t *text) {
  putComma(answer);
  putBytes(answer, "\"", 1);
  for (size_t index = 0; text[index] != 0 && index < MAX_TEXT; index++) {
    unsigned unit = text[index];
    unsigned next = text[index + 1];
    if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
      putCodePoint(answer, 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
      index++;
    } else if (unit >= 0xd800 && unit < 0xe000) {
      putCodePoint(answer, 0xfffd);
    } else {
      putEscaped(answer, unit);
    }
  }
  putBytes(answer, "\"", 1);
}

void putNumber(Answer *answer, long long number) {
  char digits[32];
  int count = snprintf(digits, sizeof digits, "%lld", number);
  putComma(answer);
  putBytes(answer, digits, (size_t)count);
}

void putBool(Answer *answer, bool value) {
  putComma(answer);
  putBytes(answer, value ? "true" : "false", value ? 4 : 5);
}

void putHandle(Answer *answer, HWND window) {
  char digits[32];
  int count = snprintf(digits, sizeof digits, "\"%llx\"", (unsigned long long)(ULONG_PTR)window);
  putComma(answer);
  putBytes(answer, digits, (size_t)count);
}

void putRectangle(Answer *answer, const RECT *rectangle) {
  putOpening(answer, '[');
  putNumber(answer, rectangle->left);
  putNumber(answer, rectangle->top);
  putNumber(answer, rectangle->right - rectangle->left);
  putNumber(answer, rectangle->bottom - rectangle->top);
  putClosing(answer, ']');
}

void putTextMember(Answer *answer, const char *key, const wchar_t *text) {
  putKey(answer, key);
  putText(answer, text);
}

void putNumberMember(Answer *answer, const char *key, long long number) {
  putKey(answer, key);
  putNumber(answer, number);
}

void putBoolMember(Answer *answer, const char *key, bool value) {
  putKey(answer, key);
  putBool(answer, value);
}

void putHandleMember(Answer *answer, const char *key, HWND window) {
  putKey(answer, key);
  if (window == NULL) {
    putBytes(answer, "null", 4);
  } else {
    putHandle(answer, window);
  }
}

void endLine(Answer *answer) { putBytes(answer, "\n", 1); }
