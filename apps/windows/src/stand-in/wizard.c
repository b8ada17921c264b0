#include <windows.h>
#include <commctrl.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "link.h"
#include "resource.h"
#include "sheet.h"

/** What the pages of "Open an Account" hand to each other. */
static struct {
  wchar_t server[128];
  Credentials opened;
  bool isWaiting;
} wizard;

static void setButtons(HWND page, DWORD buttons) {
  PostMessageW(GetParent(page), PSM_SETWIZBUTTONS, 0, (LPARAM)buttons);
}

static INT_PTR stayHere(HWND page) {
  SetWindowLongPtrW(page, DWLP_MSGRESULT, -1);
  return TRUE;
}

static void addServer(HWND page, const wchar_t *name) {
  HWND list = GetDlgItem(page, LIST_SERVERS);
  LVITEMW item = {.mask = LVIF_TEXT, .iItem = ListView_GetItemCount(list), .pszText = (wchar_t *)name};
  SendMessageW(list, LVM_INSERTITEMW, 0, (LPARAM)&item);
}

static void listServers(HWND page) {
  wchar_t path[MAX_NAME];
  wchar_t line[MAX_LINE];
  Text text = {0};
  joinPath(path, app.root, L"config\\servers.txt");
  readTextFile(path, &text);
  const wchar_t *at = text.chars;
  while (nextLine(&at, line)) {
    wchar_t *separator = wcschr(line, L'=');
    if (separator == NULL) continue;
    *separator = 0;
    if (wcscmp(line, L"*") != 0) addServer(page, line);
  }
  freeText(&text);
}

/** A name or an address that leads somewhere is added and selected, as the search of a real terminal does. */
static void findBroker(HWND page) {
  wchar_t name[128];
  char host[256];
  char port[16];
  HWND list = GetDlgItem(page, LIST_SERVERS);
  GetDlgItemTextW(page, EDIT_COMPANY, name, 128);
  bool isKnown = name[0] != 0 && findServer(name, host, port);
  SetDlgItemTextW(page, TEXT_FOUND, isKnown ? L"" : L"No results");
  if (!isKnown) return;
  LVFINDINFOW wanted = {.flags = LVFI_STRING, .psz = name};
  int row = (int)SendMessageW(list, LVM_FINDITEMW, (WPARAM)-1, (LPARAM)&wanted);
  if (row < 0) addServer(page, name);
  if (row < 0) row = ListView_GetItemCount(list) - 1;
  ListView_SetItemState(list, row, LVIS_SELECTED | LVIS_FOCUSED, LVIS_SELECTED | LVIS_FOCUSED);
}

static INT_PTR takeCompany(HWND page) {
  HWND list = GetDlgItem(page, LIST_SERVERS);
  LVITEMW item = {.pszText = wizard.server, .cchTextMax = 128};
  int row = (int)SendMessageW(list, LVM_GETNEXTITEM, (WPARAM)-1, LVNI_SELECTED);
  if (row < 0) return stayHere(page);
  SendMessageW(list, LVM_GETITEMTEXTW, (WPARAM)row, (LPARAM)&item);
  return FALSE;
}

static INT_PTR CALLBACK handleCompany(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  const NMHDR *notice = (const NMHDR *)lParam;
  if (message == WM_INITDIALOG) listServers(page);
  if (message == WM_COMMAND && LOWORD(wParam) == BUTTON_FIND) findBroker(page);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_SETACTIVE) setButtons(page, PSWIZB_NEXT);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_WIZNEXT) return takeCompany(page);
  return message == WM_INITDIALOG;
}

static INT_PTR takeKind(HWND page) {
  Credentials credentials = {0};
  if (IsDlgButtonChecked(page, RADIO_DEMO) == BST_CHECKED) return FALSE;
  GetDlgItemTextW(page, EDIT_LOGIN, credentials.login, 64);
  GetDlgItemTextW(page, EDIT_PASSWORD, credentials.password, 128);
  if (credentials.login[0] == 0 || credentials.password[0] == 0) return stayHere(page);
  wcscpy(credentials.server, wizard.server);
  useAccount(&credentials, IsDlgButtonChecked(page, BOX_SAVE_PASSWORD) == BST_CHECKED);
  PostMessageW(GetParent(page), PSM_PRESSBUTTON, PSBTN_CANCEL, 0);
  return stayHere(page);
}

static INT_PTR CALLBACK handleKind(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  const NMHDR *notice = (const NMHDR *)lParam;
  (void)wParam;
  if (message == WM_INITDIALOG) CheckDlgButton(page, RADIO_DEMO, BST_CHECKED);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_SETACTIVE) setButtons(page, PSWIZB_BACK | PSWIZB_NEXT);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_WIZNEXT) return takeKind(page);
  return message == WM_INITDIALOG;
}

static void fillForm(HWND page) {
  static const wchar_t *const deposits[] = {L"3000", L"5000", L"10000", L"25000", L"50000", L"100000", L"1000000"};
  static const wchar_t *const currencies[] = {L"USD", L"EUR", L"GBP", L"CHF", L"JPY"};
  static const wchar_t *const leverages[] = {L"1 : 1",   L"1 : 10",  L"1 : 25", L"1 : 50",
                                             L"1 : 100", L"1 : 200", L"1 : 500"};
  for (size_t index = 0; index < 7; index++) {
    SendDlgItemMessageW(page, COMBO_DEPOSIT, CB_ADDSTRING, 0, (LPARAM)deposits[index]);
    SendDlgItemMessageW(page, COMBO_LEVERAGE, CB_ADDSTRING, 0, (LPARAM)leverages[index]);
    if (index < 5) SendDlgItemMessageW(page, COMBO_CURRENCY, CB_ADDSTRING, 0, (LPARAM)currencies[index]);
  }
  SendDlgItemMessageW(page, COMBO_DEPOSIT, CB_SETCURSEL, 2, 0);
  SendDlgItemMessageW(page, COMBO_LEVERAGE, CB_SETCURSEL, 4, 0);
  SendDlgItemMessageW(page, COMBO_CURRENCY, CB_SETCURSEL, 0, 0);
}

/** Next is there once all that is required is filled in. */
static void showFormButtons(HWND page) {
  bool isFilled = IsDlgButtonChecked(page, BOX_AGREE) == BST_CHECKED && !wizard.isWaiting;
  for (int id = EDIT_FIRST_NAME; id <= EDIT_PHONE; id++) {
    if (GetWindowTextLengthW(GetDlgItem(page, id)) == 0) isFilled = false;
  }
  setButtons(page, isFilled ? PSWIZB_BACK | PSWIZB_NEXT : PSWIZB_BACK);
}

static INT_PTR sendForm(HWND page) {
  wchar_t first[120];
  wchar_t second[120];
  wchar_t value[64];
  DemoForm *form = calloc(1, sizeof *form);
  if (form == NULL || wizard.isWaiting) return stayHere(page);
  wcscpy(form->server, wizard.server);
  GetDlgItemTextW(page, EDIT_FIRST_NAME, first, 60);
  GetDlgItemTextW(page, EDIT_SECOND_NAME, second, 60);
  _snwprintf(form->name, 255, L"%ls %ls", first, second);
  GetDlgItemTextW(page, EDIT_EMAIL, form->email, 256);
  GetDlgItemTextW(page, COMBO_DEPOSIT, value, 64);
  form->balance = wcstod(value, NULL);
  GetDlgItemTextW(page, COMBO_LEVERAGE, value, 64);
  const wchar_t *colon = wcschr(value, L':');
  form->leverage = _wtoi(colon == NULL ? value : colon + 1);
  GetDlgItemTextW(page, COMBO_CURRENCY, form->currency, 8);
  wizard.isWaiting = true;
  SetDlgItemTextW(page, TEXT_PROBLEM, L"Registration...");
  showFormButtons(page);
  openDemo(page, form);
  return stayHere(page);
}

static INT_PTR takeDemo(HWND page, DemoForm *form) {
  wizard.isWaiting = false;
  showFormButtons(page);
  if (form->error[0] != 0) {
    wchar_t problem[128];
    _snwprintf(problem, 127, L"Registration failed: %ls", form->error);
    SetDlgItemTextW(page, TEXT_PROBLEM, problem);
  } else {
    wcscpy(wizard.opened.server, form->server);
    wcscpy(wizard.opened.login, form->login);
    wcscpy(wizard.opened.password, form->password);
    printJournal(0, L"Network", L"new demo account '%ls' opened on %ls", form->login, form->server);
    useAccount(&wizard.opened, true);
    SendMessageW(GetParent(page), PSM_SETCURSEL, 3, 0);
  }
  SecureZeroMemory(form, sizeof *form);
  free(form);
  return TRUE;
}

static INT_PTR CALLBACK handleForm(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  const NMHDR *notice = (const NMHDR *)lParam;
  (void)wParam;
  if (message == WM_INITDIALOG) fillForm(page);
  if (message == WM_DEMO) return takeDemo(page, (DemoForm *)lParam);
  if (message == WM_COMMAND) showFormButtons(page);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_SETACTIVE) showFormButtons(page);
  if (message == WM_NOTIFY && notice->code == (UINT)PSN_WIZNEXT) return sendForm(page);
  return message == WM_INITDIALOG;
}

static INT_PTR CALLBACK handleResult(HWND page, UINT message, WPARAM wParam, LPARAM lParam) {
  const NMHDR *notice = (const NMHDR *)lParam;
  wchar_t investor[160];
  (void)wParam;
  if (message != WM_NOTIFY || notice->code != (UINT)PSN_SETACTIVE) return message == WM_INITDIALOG;
  _snwprintf(investor, 159, L"%ls:investor", wizard.opened.password);
  SetDlgItemTextW(page, RESULT_LOGIN, wizard.opened.login);
  SetDlgItemTextW(page, RESULT_PASSWORD, wizard.opened.password);
  SetDlgItemTextW(page, RESULT_INVESTOR, investor);
  setButtons(page, PSWIZB_FINISH);
  return TRUE;
}

void openWizard(void) {
  static const SheetPage pages[] = {{WIZARD_COMPANY, handleCompany},
                                    {WIZARD_KIND, handleKind},
                                    {WIZARD_FORM, handleForm},
                                    {WIZARD_RESULT, handleResult}};
  SecureZeroMemory(&wizard, sizeof wizard);
  openSheet((Sheet){.title = L"Open an Account", .flags = PSH_WIZARD, .pageTitle = L"Open an Account"}, pages);
  SecureZeroMemory(&wizard, sizeof wizard);
}
