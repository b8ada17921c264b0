#ifndef BERTH_ANSWER_H
#define BERTH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/** The whole answer file. What would not fit is left out and said so ("truncated"). */
#define MAX_ANSWER_BYTES (256 * 1024)
/** Kept free of lists, so that the end of a line and a refusal always fit. */
#define RESERVED_BYTES 4096
/** The longest text that is taken or given, in UTF-16 units. */
#define MAX_TEXT 4096
/** The most windows, controls or items of one list. */
#define MAX_ITEMS 500

/**
 * JSON lines in UTF-8 that are being written into one buffer, which never grows. A write that does not fit sets
 * `isFull` and leaves the text as it was; the writer of a list then returns to the place before its last item.
 */
typedef struct {
  char *bytes;
  size_t length;
  bool isFull;
} Answer;

/** A place in the answer to which `returnTo` can go back. */
size_t placeOf(const Answer *answer);
void returnTo(Answer *answer, size_t place);

/** Whether the last item of a list has to go: something did not fit, or it reached into the reserve. */
bool isOverfull(const Answer *answer);

/** One of { } [ ], with the comma before it where one is due. */
void putOpening(Answer *answer, char bracket);
void putClosing(Answer *answer, char bracket);
/** The name of a member; its value comes next. */
void putKey(Answer *answer, const char *key);
void putText(Answer *answer, const wchar_t *text);
void putNumber(Answer *answer, long long number);
void putBool(Answer *answer, bool value);
void putHandle(Answer *answer, HWND window);
void putRectangle(Answer *answer, const RECT *rectangle);

void putTextMember(Answer *answer, const char *key, const wchar_t *text);
void putNumberMember(Answer *answer, const char *key, long long number);
void putBoolMember(Answer *answer, const char *key, bool value);
void putHandleMember(Answer *answer, const char *key, HWND window);

/** Ends a line. It has room: lists stop before the reserve. */
void endLine(Answer *answer);

#endif
