#include "messages.h"

static ULONGLONG runEndsAt;

void beginRun(void) { runEndsAt = GetTickCount64() + RUN_MS; }

static bool askWithin(HWND window, UINT message, WPARAM wParam, LPARAM lParam, DWORD patienceMs, LRESULT *answer) {
  ULONGLONG now = GetTickCount64();
  DWORD_PTR result = 0;
  if (now >= runEndsAt) return false;
  DWORD left = (DWORD)(runEndsAt - now);
  DWORD wait = left < patienceMs ? left : patienceMs;
  if (SendMessageTimeoutW(window, message, wParam, lParam, SMTO_ABORTIFHUNG, wait, &result) == 0) return false;
  if (answer != NULL) *answer = (LRESULT)result;
  return true;
}

bool askWindow(HWND window, UINT message, WPARAM wParam, LPARAM lParam, LRESULT *answer) {
  return askWithin(window, message, wParam, lParam, MESSAGE_MS, answer);
}

bool isAnswering(HWND window, DWORD patienceMs) {
  return !IsHungAppWindow(window) && askWithin(window, WM_NULL, 0, 0, patienceMs, NULL);
}

void notifyParent(HWND control, WORD code) {
  WORD id = (WORD)GetDlgCtrlID(control);
  PostMessageW(GetParent(control), WM_COMMAND, MAKEWPARAM(id, code), (LPARAM)control);
}
