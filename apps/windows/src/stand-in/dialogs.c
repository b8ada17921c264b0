#include "resource.h"
#include "terminal.h"

static INT_PTR CALLBACK handleLiveUpdate(HWND dialog, UINT message, WPARAM wParam, LPARAM lParam) {
  (void)lParam;
  if (message == WM_INITDIALOG) return TRUE;
  if (message == WM_CLOSE) return EndDialog(dialog, IDCANCEL);
  if (message != WM_COMMAND) return FALSE;
  if (LOWORD(wParam) == BUTTON_RESTART || LOWORD(wParam) == IDCANCEL) EndDialog(dialog, LOWORD(wParam));
  return TRUE;
}

void openLiveUpdateDialog(void) {
  INT_PTR choice =
      DialogBoxParamW(app.instance, MAKEINTRESOURCEW(DIALOG_LIVE_UPDATE), app.window, handleLiveUpdate, 0);
  if (choice == BUTTON_RESTART) leaveForUpdate();
}

/** Stays open whatever is pressed: a real one means that the terminal will never come up. */
static INT_PTR CALLBACK handleDebugger(HWND dialog, UINT message, WPARAM wParam, LPARAM lParam) {
  (void)dialog, (void)wParam, (void)lParam;
  return message == WM_INITDIALOG || message == WM_COMMAND || message == WM_CLOSE;
}

void hangForever(void) {
  DialogBoxParamW(app.instance, MAKEINTRESOURCEW(DIALOG_DEBUGGER), NULL, handleDebugger, 0);
}

void openFaultDialog(void) {
  const wchar_t *title = app.faults.dialogTitle[0] == 0 ? L"Information" : app.faults.dialogTitle;
  MessageBoxW(app.window, app.faults.dialogText, title, MB_OK | MB_ICONINFORMATION);
}
