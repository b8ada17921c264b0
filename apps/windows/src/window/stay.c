#include "stay.h"

#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "answer-file.h"

/** Of a line in UTF-8: what one write into a pipe passes on as a whole. */
#define MAX_LINE_BYTES 4096

typedef struct {
  HANDLE input;
  char bytes[MAX_LINE_BYTES];
  size_t length;
  /** The line is too long: the rest of it is passed over. */
  bool isOverlong;
} Lines;

/** The next line, without its end. False where there are no more. */
static bool takeLine(Lines *lines, wchar_t *line) {
  for (;;) {
    char *end = memchr(lines->bytes, '\n', lines->length);
    if (end != NULL) {
      size_t size = (size_t)(end - lines->bytes);
      int count = lines->isOverlong ? 0 : MultiByteToWideChar(CP_UTF8, 0, lines->bytes, (int)size, line, MAX_LINE_BYTES - 1);
      lines->length -= size + 1;
      lines->isOverlong = false;
      memmove(lines->bytes, end + 1, lines->length);
      line[count] = 0;
      return true;
    }
    if (lines->length == MAX_LINE_BYTES) {
      lines->isOverlong = true;
      lines->length = 0;
    }
    DWORD count = 0;
    DWORD room = (DWORD)(MAX_LINE_BYTES - lines->length);
    if (!ReadFile(lines->input, lines->bytes + lines->length, room, &count, NULL) || count == 0) return false;
    lines->length += count;
  }
}

/** What the system has for a program with windows is taken and forgotten, so that it does not pile up. */
static void forgetMessages(void) {
  MSG message;
  while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE)) DispatchMessageW(&message);
}

int stay(void) {
  static Lines lines;
  static wchar_t line[MAX_LINE_BYTES];
  DWORD count = 0;
  lines.input = GetStdHandle(STD_INPUT_HANDLE);
  while (takeLine(&lines, line)) {
    wchar_t *tab = wcschr(line, L'\t');
    if (tab == NULL) continue;
    *tab = 0;
    forgetMessages();
    bool isAnswered = answerRequestFile(line, tab + 1);
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), isAnswered ? "1\n" : "0\n", 2, &count, NULL);
  }
  return 0;
}
