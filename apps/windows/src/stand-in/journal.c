#include <stdarg.h>
#include <stdio.h>

#include "terminal.h"

/** A log of day files: a line belongs to the local day on which it was printed, whenever it is flushed. */
typedef struct {
  Text waiting;
  wchar_t day[16];
} Journal;

static Journal journal;
static Journal experts;

static void flush(Journal *log, const wchar_t *folder) {
  wchar_t path[MAX_NAME];
  if (log->waiting.length == 0) return;
  _snwprintf(path, MAX_NAME - 1, L"%ls\\%ls\\%ls.log", app.root, folder, log->day);
  appendTextFile(path, &log->waiting, !app.isMt4);
  clearText(&log->waiting);
}

void flushJournals(void) {
  flush(&journal, L"logs");
  flush(&experts, pathOf(L"logs"));
}

/** Two letters that look random: a real terminal's are a hash of the line as well. */
static void toMark(const wchar_t *text, wchar_t *mark) {
  unsigned hash = 2166136261u;
  for (; *text != 0; text++) hash = (hash ^ *text) * 16777619u;
  mark[0] = (wchar_t)(L'A' + hash % 26);
  mark[1] = (wchar_t)(L'A' + hash / 26 % 26);
  mark[2] = 0;
}

static void print(Journal *log, int level, const wchar_t *source, const wchar_t *message) {
  SYSTEMTIME now;
  wchar_t day[16];
  wchar_t time[16];
  wchar_t mark[3];
  GetLocalTime(&now);
  _snwprintf(day, 16, L"%04d%02d%02d", now.wYear, now.wMonth, now.wDay);
  _snwprintf(time, 16, L"%02d:%02d:%02d.%03d", now.wHour, now.wMinute, now.wSecond, now.wMilliseconds);
  if (wcscmp(day, log->day) != 0) flushJournals();
  wcscpy(log->day, day);
  toMark(message, mark);
  if (app.isMt4) {
    addFormat(&log->waiting, L"%d\t%ls\t", level, time);
  } else {
    addFormat(&log->waiting, L"%ls\t%d\t%ls\t%ls\t", mark, level, time, source);
  }
  addText(&log->waiting, message);
  addText(&log->waiting, L"\r\n");
  if (log == &journal) showJournalLine(time, source, message);
  if (app.faults.flushMs == 0 || app.window == NULL) flushJournals();
}

void printJournal(int level, const wchar_t *source, const wchar_t *format, ...) {
  wchar_t message[MAX_LINE];
  va_list arguments;
  va_start(arguments, format);
  _vsnwprintf(message, MAX_LINE - 1, format, arguments);
  va_end(arguments);
  message[MAX_LINE - 1] = 0;
  print(&journal, level, source, message);
}

void printExperts(int level, const wchar_t *source, const wchar_t *format, ...) {
  wchar_t message[MAX_LINE];
  va_list arguments;
  va_start(arguments, format);
  _vsnwprintf(message, MAX_LINE - 1, format, arguments);
  va_end(arguments);
  message[MAX_LINE - 1] = 0;
  print(&experts, level, source, message);
}
