#include <windows.h>
#include <commctrl.h>
#include <stdio.h>

#include "programs.h"
#include "resource.h"
#include "terminal.h"

#define CLASS L"BerthStandInTerminal"
#define LIST_HEIGHT 150
#define MAX_ROWS 200
#define FIRST_CHART_ID 50000

enum { TIMER_FLUSH = 1, TIMER_TICK, TIMER_CRASH, TIMER_UPDATE, TIMER_DIALOG, TIMER_UPDATE_DIALOG, TIMER_COMPILE };

static HWND toolbar;

void showTitle(void) {
  wchar_t title[MAX_NAME];
  wchar_t bar[MAX_NAME];
  const wchar_t *kind = app.isMt4 ? L"MetaTrader 4" : L"MetaTrader 5";
  const wchar_t *width = sizeof(void *) == 8 ? L"64 bit" : L"32 bit";
  if (app.window == NULL) return;
  if (app.isOnline) {
    _snwprintf(title, MAX_NAME - 1, L"%ls - %ls - Berth stand-in terminal (simulated %ls, %ls)", app.account.login,
               app.account.server, kind, width);
    _snwprintf(bar, MAX_NAME - 1, L"%ls, %ls: %.2f ms", app.account.login, app.account.server, app.pingMs);
  } else {
    _snwprintf(title, MAX_NAME - 1, L"Berth stand-in terminal (simulated %ls, %ls)", kind, width);
    wcscpy(bar, L"No connection");
  }
  SetWindowTextW(app.window, title);
  SendMessageW(app.status, SB_SETTEXTW, 0, (LPARAM)bar);
  SendMessageW(toolbar, TB_CHECKBUTTON, COMMAND_ALGO_TRADING, app.settings.algoTrading);
  for (size_t index = 0; index < app.chartCount; index++) InvalidateRect(app.charts[index].window, NULL, FALSE);
}

void showJournalLine(const wchar_t *time, const wchar_t *source, const wchar_t *message) {
  LVITEMW item = {.mask = LVIF_TEXT, .pszText = (wchar_t *)time};
  LVITEMW cell = {.iSubItem = 1, .pszText = (wchar_t *)source};
  if (app.window == NULL || app.isClosed) return;
  if (app.faults.flushMs > 0) SetTimer(app.window, TIMER_FLUSH, (UINT)app.faults.flushMs, NULL);
  SendMessageW(app.list, LVM_INSERTITEMW, 0, (LPARAM)&item);
  SendMessageW(app.list, LVM_SETITEMTEXTW, 0, (LPARAM)&cell);
  cell.iSubItem = 2;
  cell.pszText = (wchar_t *)message;
  SendMessageW(app.list, LVM_SETITEMTEXTW, 0, (LPARAM)&cell);
  SendMessageW(app.list, LVM_DELETEITEM, MAX_ROWS, 0);
}

static void createList(void) {
  static const int widths[] = {100, 100, 900};
  DWORD style = WS_CHILD | WS_VISIBLE | WS_BORDER | LVS_REPORT | LVS_NOCOLUMNHEADER;
  app.list = CreateWindowExW(0, WC_LISTVIEWW, L"", style, 0, 0, 0, 0, app.window, NULL, app.instance, NULL);
  for (int index = 0; index < 3; index++) {
    LVCOLUMNW column = {.mask = LVCF_WIDTH, .cx = widths[index]};
    SendMessageW(app.list, LVM_INSERTCOLUMNW, (WPARAM)index, (LPARAM)&column);
  }
}

static void createToolbar(void) {
  TBBUTTON button = {.iBitmap = I_IMAGENONE, .idCommand = COMMAND_ALGO_TRADING, .fsState = TBSTATE_ENABLED};
  button.fsStyle = BTNS_CHECK | BTNS_AUTOSIZE | BTNS_SHOWTEXT;
  button.iString = (INT_PTR)L"Algo Trading";
  DWORD style = WS_CHILD | WS_VISIBLE | TBSTYLE_FLAT | TBSTYLE_LIST;
  toolbar = CreateWindowExW(0, TOOLBARCLASSNAMEW, NULL, style, 0, 0, 0, 0, app.window, NULL, app.instance, NULL);
  SendMessageW(toolbar, TB_BUTTONSTRUCTSIZE, sizeof button, 0);
  SendMessageW(toolbar, TB_ADDBUTTONSW, 1, (LPARAM)&button);
}

static void arrange(void) {
  RECT size, bar, top;
  GetClientRect(app.window, &size);
  SendMessageW(toolbar, TB_AUTOSIZE, 0, 0);
  SendMessageW(app.status, WM_SIZE, 0, 0);
  GetWindowRect(app.status, &bar);
  GetWindowRect(toolbar, &top);
  int above = top.bottom - top.top;
  int below = size.bottom - (bar.bottom - bar.top) - LIST_HEIGHT;
  MoveWindow(app.list, 0, below, size.right, LIST_HEIGHT, TRUE);
  MoveWindow(app.client, 0, above, size.right, below > above ? below - above : 0, TRUE);
}

static void create(void) {
  CLIENTCREATESTRUCT client = {GetSubMenu(GetMenu(app.window), 2), FIRST_CHART_ID};
  DWORD style = WS_CHILD | WS_VISIBLE | WS_CLIPCHILDREN | WS_VSCROLL | WS_HSCROLL;
  createToolbar();
  createList();
  app.status = CreateWindowExW(0, STATUSCLASSNAMEW, L"", WS_CHILD | WS_VISIBLE, 0, 0, 0, 0, app.window, NULL,
                               app.instance, NULL);
  app.client = CreateWindowExW(0, L"MDICLIENT", NULL, style, 0, 0, 0, 0, app.window, NULL, app.instance, &client);
}

static void takeCommand(WORD id) {
  switch (id) {
    case COMMAND_ALGO_TRADING:
      setAlgoTrading(!app.settings.algoTrading, L"");
      break;
    case COMMAND_OPTIONS:
      openOptions();
      break;
    case COMMAND_OPEN_ACCOUNT:
      openWizard();
      break;
    case COMMAND_EXIT:
      PostMessageW(app.window, WM_CLOSE, 0, 0);
      break;
    case COMMAND_TILE:
      SendMessageW(app.client, WM_MDITILE, 0, 0);
      break;
    case COMMAND_ABOUT:
      MessageBoxW(app.window, L"A simulated terminal for Berth's tests. It is no MetaTrader.", L"About", MB_OK);
      break;
    default:
      break;
  }
}

static void takeTimer(WPARAM timer) {
  if (timer != TIMER_TICK) KillTimer(app.window, timer);
  if (timer == TIMER_FLUSH) flushJournals();
  if (timer == TIMER_TICK) tickExperts();
  /* A crash writes nothing, not even what waits for the journal. */
  if (timer == TIMER_CRASH) TerminateProcess(GetCurrentProcess(), 3);
  if (timer == TIMER_UPDATE) leaveForUpdate();
  if (timer == TIMER_DIALOG) openFaultDialog();
  if (timer == TIMER_COMPILE) printCompiled();
  if (timer == TIMER_UPDATE_DIALOG) openLiveUpdateDialog();
}

static LRESULT CALLBACK handleMain(HWND window, UINT message, WPARAM wParam, LPARAM lParam) {
  switch (message) {
    case WM_CREATE:
      app.window = window;
      create();
      return 0;
    case WM_SIZE:
      arrange();
      return 0;
    case WM_COMMAND:
      if (LOWORD(wParam) < FIRST_CHART_ID && HIWORD(wParam) <= 1) {
        takeCommand(LOWORD(wParam));
        return 0;
      }
      break;
    case WM_TIMER:
      takeTimer(wParam);
      return 0;
    case WM_LINK:
      takeLinkEvent(wParam, lParam);
      return 0;
    case WM_PROGRAM:
      takePrinted(wParam, lParam);
      return 0;
    case WM_DIALOG:
      openFaultDialog();
      return 0;
    case WM_CLOSE:
      /* Behind a modal dialog too: its loop hands us the message, and everything ends with us. */
      closeTerminal();
      ExitProcess(0);
    default:
      break;
  }
  return DefFrameProcW(window, app.client, message, wParam, lParam);
}

static void startTimers(void) {
  const Faults *faults = &app.faults;
  SetTimer(app.window, TIMER_TICK, 500, NULL);
  if (faults->crashAfterMs > 0) SetTimer(app.window, TIMER_CRASH, (UINT)faults->crashAfterMs, NULL);
  if (faults->liveUpdateAfterMs > 0) SetTimer(app.window, TIMER_UPDATE, (UINT)faults->liveUpdateAfterMs, NULL);
  if (faults->compileMs > 0) SetTimer(app.window, TIMER_COMPILE, (UINT)faults->compileMs, NULL);
  if (faults->dialogText[0] != 0) SetTimer(app.window, TIMER_DIALOG, (UINT)faults->dialogAfterMs + 10, NULL);
  if (faults->liveUpdateDialog) SetTimer(app.window, TIMER_UPDATE_DIALOG, (UINT)faults->dialogAfterMs + 10, NULL);
}

void createMainWindow(void) {
  WNDCLASSW class = {.lpfnWndProc = handleMain, .hInstance = app.instance, .lpszClassName = CLASS};
  INITCOMMONCONTROLSEX controls = {sizeof controls, ICC_WIN95_CLASSES};
  class.hCursor = LoadCursor(NULL, IDC_ARROW);
  class.hbrBackground = (HBRUSH)(COLOR_APPWORKSPACE + 1);
  class.lpszMenuName = MAKEINTRESOURCEW(MENU_MAIN);
  InitCommonControlsEx(&controls);
  RegisterClassW(&class);
  registerChartWindow();
  DWORD style = WS_OVERLAPPEDWINDOW | WS_CLIPCHILDREN;
  CreateWindowExW(0, CLASS, L"Berth stand-in terminal (simulated)", style, 0, 0, 1024, 768, NULL, NULL, app.instance,
                  NULL);
  if (app.window != NULL && !app.faults.windowless) ShowWindow(app.window, SW_SHOW);
  if (app.window != NULL) startTimers();
}
