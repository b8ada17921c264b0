#include "messages.h"
#include "operations.h"

/** The window of a request that may be commanded: it exists, takes input, and answers. */
static Refusal findCommandable(const Request *request, HWND *window) {
  *window = findHandleField(request, "window");
  if (*window == NULL) return NO_WINDOW;
  if (!IsWindowEnabled(*window)) {
    return REFUSE("failed", L"Another dialog stands in front of this window; end that one first.");
  }
  return isAnswering(*window, MESSAGE_MS) ? DONE : NO_ANSWER;
}

/** Does what a menu entry with this number does. Does not wait: a dialog may open. */
Refusal sendCommand(const Request *request, Answer *answer) {
  HWND window;
  long long id = 0;
  (void)answer;
  if (!findNumberField(request, "id", 0, 65535, &id)) {
    return REFUSE("invalid_request", L"The operation \"command\" needs the member \"id\", the number of the command.");
  }
  Refusal refusal = findCommandable(request, &window);
  if (refusal.error != NULL) return refusal;
  return PostMessageW(window, WM_COMMAND, (WPARAM)id, 0) ? DONE : NO_WINDOW;
}

/** Asks a window politely to close. Works behind a modal dialog too, and never waits for a hung one. */
Refusal closeWindow(const Request *request, Answer *answer) {
  HWND window = findHandleField(request, "window");
  (void)answer;
  if (window == NULL) return NO_WINDOW;
  return PostMessageW(window, WM_CLOSE, 0, 0) ? DONE : NO_WINDOW;
}

Refusal resizeWindow(const Request *request, Answer *answer) {
  HWND window = findHandleField(request, "window");
  RECT rectangle = {0};
  long long width = 0;
  long long height = 0;
  if (!findNumberField(request, "width", 1, 16384, &width) || !findNumberField(request, "height", 1, 16384, &height)) {
    return REFUSE("invalid_request", L"The operation \"resize\" needs the members \"width\" and \"height\".");
  }
  if (window == NULL) return NO_WINDOW;
  if (!isAnswering(window, MESSAGE_MS)) return NO_ANSWER;
  if (IsIconic(window) || IsZoomed(window)) ShowWindowAsync(window, SW_RESTORE);
  SetWindowPos(window, NULL, 0, 0, (int)width, (int)height, SWP_NOMOVE | SWP_NOZORDER | SWP_ASYNCWINDOWPOS);
  /* Messages are answered in their order: with this answer, the size that was asked for before has been taken in. */
  if (!isAnswering(window, MESSAGE_MS)) return NO_ANSWER;
  GetWindowRect(window, &rectangle);
  putKey(answer, "rect");
  putRectangle(answer, &rectangle);
  return DONE;
}

/** The text on the clipboard, cut at MAX_TEXT; empty where it holds something else. */
Refusal readClipboard(const Request *request, Answer *answer) {
  static wchar_t text[MAX_TEXT + 1];
  (void)request;
  if (!OpenClipboard(NULL)) return REFUSE("failed", L"Another program holds the clipboard open; try again.");
  HANDLE data = GetClipboardData(CF_UNICODETEXT);
  const wchar_t *found = data == NULL ? NULL : GlobalLock(data);
  text[0] = 0;
  if (found != NULL) {
    size_t length = GlobalSize(data) / sizeof(wchar_t);
    if (length > MAX_TEXT) length = MAX_TEXT;
    wcsncpy(text, found, length);
    text[length] = 0;
    GlobalUnlock(data);
  }
  CloseClipboard();
  putTextMember(answer, "text", text);
  return DONE;
}
