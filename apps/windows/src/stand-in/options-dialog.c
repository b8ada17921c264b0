#include <windows.h>
#include <commctrl.h>

#include "resource.h"
#include "sheet.h"
#include "terminal.h"

/** The last row: edited, it adds an address. */
#define NEW_URL L"add new URL like 'https://www.mql5.com'"

static INT_PTR CALLBACK handleServerPage(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  (void)wParam, (void)lParam;
  if (message != WM_INITDIALOG) return FALSE;
  SetDlgItemTextW(page, TEXT_SERVER, app.settings.server);
  SetDlgItemTextW(page, TEXT_LOGIN, app.settings.login);
  return TRUE;
}

static INT_PTR CALLBACK handleEmptyPage(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  (void)page, (void)wParam, (void)lParam;
  return message == WM_INITDIALOG;
}

static void addRow(HWND list, const wchar_t *text) {
  LVITEMW item = {.mask = LVIF_TEXT, .iItem = ListView_GetItemCount(list), .pszText = (wchar_t *)text};
  SendMessageW(list, LVM_INSERTITEMW, 0, (LPARAM)&item);
}

static void readRow(HWND list, int row, wchar_t *text) {
  LVITEMW item = {.pszText = text, .cchTextMax = 256};
  text[0] = 0;
  SendMessageW(list, LVM_GETITEMTEXTW, (WPARAM)row, (LPARAM)&item);
}

static void fillExpertsPage(HWND page) {
  const Settings *settings = &app.settings;
  HWND list = GetDlgItem(page, LIST_WEB_REQUEST);
  LVCOLUMNW column = {.mask = LVCF_WIDTH, .cx = 340};
  CheckDlgButton(page, BOX_ALGO_TRADING, settings->algoTrading);
  CheckDlgButton(page, BOX_OFF_ACCOUNT, settings->offOnAccountChange);
  CheckDlgButton(page, BOX_OFF_PROFILE, settings->offOnProfileChange);
  CheckDlgButton(page, BOX_DLL, settings->allowDll);
  CheckDlgButton(page, BOX_WEB_REQUEST, settings->webRequest);
  SendMessageW(list, LVM_INSERTCOLUMNW, 0, (LPARAM)&column);
  for (size_t index = 0; index < settings->urlCount; index++) addRow(list, settings->urls[index]);
  addRow(list, NEW_URL);
  EnableWindow(list, settings->webRequest);
}

static void takeExpertsPage(HWND page) {
  Settings *settings = &app.settings;
  HWND list = GetDlgItem(page, LIST_WEB_REQUEST);
  wchar_t text[256];
  bool isOn = IsDlgButtonChecked(page, BOX_ALGO_TRADING) == BST_CHECKED;
  settings->offOnAccountChange = IsDlgButtonChecked(page, BOX_OFF_ACCOUNT) == BST_CHECKED;
  settings->offOnProfileChange = IsDlgButtonChecked(page, BOX_OFF_PROFILE) == BST_CHECKED;
  settings->allowDll = IsDlgButtonChecked(page, BOX_DLL) == BST_CHECKED;
  settings->webRequest = IsDlgButtonChecked(page, BOX_WEB_REQUEST) == BST_CHECKED;
  settings->urlCount = 0;
  for (int row = 0; row < ListView_GetItemCount(list) && settings->urlCount < MAX_URLS; row++) {
    readRow(list, row, text);
    if (wcscmp(text, NEW_URL) != 0) wcscpy(settings->urls[settings->urlCount++], text);
  }
  if (isOn != settings->algoTrading) setAlgoTrading(isOn, L"");
}

/** A row that was edited: the last one becomes an address, and a new last one comes; an emptied one goes. */
static void endEditing(HWND list, const NMLVDISPINFOW *info) {
  wchar_t old[256];
  wchar_t text[256];
  if (info->item.pszText == NULL) return;
  wcsncpy(text, info->item.pszText, 255);
  text[255] = 0;
  readRow(list, info->item.iItem, old);
  bool isNew = wcscmp(old, NEW_URL) == 0;
  if (text[0] == 0) {
    if (!isNew) ListView_DeleteItem(list, info->item.iItem);
    return;
  }
  LVITEMW item = {.mask = LVIF_TEXT, .pszText = text};
  SendMessageW(list, LVM_SETITEMTEXTW, (WPARAM)info->item.iItem, (LPARAM)&item);
  if (isNew && wcscmp(text, NEW_URL) != 0) addRow(list, NEW_URL);
}

static void takeKey(HWND list, WORD key) {
  wchar_t text[256];
  int row = (int)SendMessageW(list, LVM_GETNEXTITEM, (WPARAM)-1, LVNI_FOCUSED);
  if (row < 0) return;
  readRow(list, row, text);
  if (key == VK_F2) SendMessageW(list, LVM_EDITLABELW, (WPARAM)row, 0);
  if (key == VK_DELETE && wcscmp(text, NEW_URL) != 0) ListView_DeleteItem(list, row);
}

static INT_PTR takeNotice(HWND page, const NMHDR *notice) {
  HWND list = GetDlgItem(page, LIST_WEB_REQUEST);
  if (notice->hwndFrom != list) {
    if (notice->code == (UINT)PSN_APPLY) takeExpertsPage(page);
    return notice->code == (UINT)PSN_APPLY;
  }
  switch (notice->code) {
    case LVN_ENDLABELEDITW:
      endEditing(list, (const NMLVDISPINFOW *)notice);
      break;
    case LVN_KEYDOWN:
      takeKey(list, ((const NMLVKEYDOWN *)notice)->wVKey);
      break;
    case NM_DBLCLK:
      takeKey(list, VK_F2);
      break;
    default:
      return FALSE;
  }
  SendMessageW(GetParent(page), PSM_CHANGED, (WPARAM)page, 0);
  return TRUE;
}

static INT_PTR CALLBACK handleExpertsPage(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  if (message == WM_INITDIALOG) fillExpertsPage(page);
  if (message == WM_NOTIFY) return takeNotice(page, (const NMHDR *)lParam);
  if (message == WM_COMMAND && LOWORD(wParam) == BOX_WEB_REQUEST) {
    bool isOn = IsDlgButtonChecked(page, BOX_WEB_REQUEST) == BST_CHECKED;
    EnableWindow(GetDlgItem(page, LIST_WEB_REQUEST), isOn);
  }
  if (message == WM_COMMAND) SendMessageW(GetParent(page), PSM_CHANGED, (WPARAM)page, 0);
  return message == WM_INITDIALOG || message == WM_COMMAND;
}

void openOptions(void) {
  static const SheetPage pages[] = {{PAGE_SERVER, handleServerPage},
                                    {PAGE_CHARTS, handleEmptyPage},
                                    {PAGE_EXPERTS, handleExpertsPage},
                                    {PAGE_EVENTS, handleEmptyPage}};
  openSheet((Sheet){.title = L"Options", .flags = PSH_NOAPPLYNOW}, pages);
}
