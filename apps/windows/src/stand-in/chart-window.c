#include <stdio.h>

#include "terminal.h"

#define CLASS L"BerthStandInChart"
#define CANDLES 90

static unsigned hashOf(const wchar_t *text) {
  unsigned hash = 2166136261u;
  for (; *text != 0; text++) hash = (hash ^ *text) * 16777619u;
  return hash;
}

static void fill(HDC dc, int left, int top, int right, int bottom, COLORREF colour) {
  RECT area = {left, top, right, bottom};
  HBRUSH brush = CreateSolidBrush(colour);
  FillRect(dc, &area, brush);
  DeleteObject(brush);
}

/** Candles that belong to the symbol and period alone, each in a shade of its own: two charts never look alike. */
static void paintCandles(HDC dc, const Chart *chart, int width, int height) {
  wchar_t place[96];
  toPlace(chart, place);
  unsigned seed = hashOf(place);
  int level = height / 2;
  for (int index = 0; index < CANDLES; index++) {
    seed = seed * 1664525u + 1013904223u;
    int move = (int)(seed >> 16) % (height / 8 + 1) - height / 16;
    int next = level + move < height / 6 ? height / 6 : level + move > height * 5 / 6 ? height * 5 / 6 : level + move;
    int x = index * width / CANDLES;
    int shade = 120 + index;
    COLORREF colour = next < level ? RGB(40, shade, 90) : RGB(shade, 60, 60);
    int top = next < level ? next : level;
    int bottom = next < level ? level : next;
    fill(dc, x + width / CANDLES / 2, top - 8, x + width / CANDLES / 2 + 1, bottom + 8, colour);
    fill(dc, x + 1, top, x + width / CANDLES - 1, bottom + 2, colour);
    level = next;
  }
}

static void paintLabel(HDC dc, const RECT *area, const wchar_t *text, COLORREF back) {
  RECT inside = {area->left + 10, area->top, area->right - 10, area->bottom};
  fill(dc, area->left, area->top, area->right, area->bottom, back);
  SetTextColor(dc, RGB(255, 255, 255));
  SetBkMode(dc, TRANSPARENT);
  DrawTextW(dc, text, -1, &inside, DT_VCENTER | DT_SINGLELINE | DT_LEFT | DT_END_ELLIPSIS);
}

static void paint(HDC dc, const Chart *chart, int width, int height) {
  wchar_t text[256];
  const Symbol *symbol = findSymbol(chart->symbol);
  const COLORREF back = RGB(12 + hashOf(chart->symbol) % 16, 16, 24 + hashOf(chart->period) % 24);
  fill(dc, 0, 0, width, height, back);
  paintCandles(dc, chart, width, height);
  RECT banner = {0, 0, width, 34};
  _snwprintf(text, 255, L"Berth stand-in terminal: simulated.   %ls,%ls   %.5f   %ls %ls", chart->symbol, chart->period,
             symbol == NULL ? 0.0 : symbol->bid, app.settings.login, app.settings.server);
  unsigned hash = hashOf(app.settings.login) ^ hashOf(app.settings.server);
  paintLabel(dc, &banner, text, RGB(30 + hash % 60, 40 + hash / 64 % 60, 60 + hash / 4096 % 60));
  if (chart->expert[0] != 0) {
    RECT label = {width > 460 ? width - 450 : 0, 44, width - 10, 144};
    _snwprintf(text, 255, L"%ls :-) %ls", chart->expert, app.settings.algoTrading ? L"trading" : L"watching");
    paintLabel(dc, &label, text, app.settings.algoTrading ? RGB(20, 90, 190) : RGB(120, 60, 60));
  }
}

static Chart *chartOf(HWND window) {
  for (size_t index = 0; index < app.chartCount; index++) {
    if (app.charts[index].window == window) return &app.charts[index];
  }
  return NULL;
}

static LRESULT CALLBACK handleChart(HWND window, UINT message, WPARAM wParam, LPARAM lParam) {
  if (message == WM_ERASEBKGND) return 1;
  /* Charts are closed with the terminal only. */
  if (message == WM_CLOSE) return 0;
  if (message == WM_PAINT) {
    PAINTSTRUCT area;
    RECT size;
    HDC dc = BeginPaint(window, &area);
    const Chart *chart = chartOf(window);
    GetClientRect(window, &size);
    if (chart != NULL) {
      /* Into a bitmap first, so that nothing flickers and no half painted one is taken. */
      HDC memory = CreateCompatibleDC(dc);
      HBITMAP bitmap = CreateCompatibleBitmap(dc, size.right, size.bottom);
      HGDIOBJ before = SelectObject(memory, bitmap);
      paint(memory, chart, size.right, size.bottom);
      BitBlt(dc, 0, 0, size.right, size.bottom, memory, 0, 0, SRCCOPY);
      DeleteObject(SelectObject(memory, before));
      DeleteDC(memory);
    }
    EndPaint(window, &area);
    return 0;
  }
  return DefMDIChildProcW(window, message, wParam, lParam);
}

void registerChartWindow(void) {
  WNDCLASSW class = {.lpfnWndProc = handleChart, .hInstance = app.instance, .lpszClassName = CLASS};
  class.hCursor = LoadCursor(NULL, IDC_ARROW);
  class.style = CS_HREDRAW | CS_VREDRAW;
  RegisterClassW(&class);
}

void showChart(Chart *chart) {
  wchar_t title[96];
  toPlace(chart, title);
  MDICREATESTRUCTW create = {.szClass = CLASS, .szTitle = title, .hOwner = app.instance};
  create.x = create.y = create.cx = create.cy = CW_USEDEFAULT;
  /* One chart fills the window; several lie beside each other, so that a screenshot shows all of them. */
  create.style = app.chartCount == 1 ? WS_MAXIMIZE : 0;
  chart->window = (HWND)SendMessageW(app.client, WM_MDICREATE, 0, (LPARAM)&create);
}
