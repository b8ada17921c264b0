#include <wchar.h>

#include "../window/messages.h"
#include "session.h"

#define MAX_SIDE 16384
/** The most that the agent accepts: four times 3840 x 2160. */
#define MAX_PIXELS (4LL * 3840 * 2160)
#define MAX_DIALOGS 16
/** PW_RENDERFULLCONTENT: includes what the graphics card paints. */
#define WHOLE_CONTENT 2
/** No program paints a whole window in this colour: pixels that still have it were not painted. */
#define UNTOUCHED 0x00fe01fdu

typedef struct {
  HDC context;
  HBITMAP bitmap;
  HGDIOBJ before;
  DWORD *pixels;
  int width;
  int height;
} Canvas;

static bool createCanvas(Canvas *canvas, int width, int height) {
  BITMAPINFO info = {0};
  info.bmiHeader.biSize = sizeof info.bmiHeader;
  info.bmiHeader.biWidth = width;
  info.bmiHeader.biHeight = -height;
  info.bmiHeader.biPlanes = 1;
  info.bmiHeader.biBitCount = 32;
  void *pixels = NULL;
  canvas->width = width;
  canvas->height = height;
  canvas->context = CreateCompatibleDC(NULL);
  canvas->bitmap = CreateDIBSection(canvas->context, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
  canvas->pixels = pixels;
  if (canvas->context == NULL || canvas->bitmap == NULL) return false;
  canvas->before = SelectObject(canvas->context, canvas->bitmap);
  for (long long index = 0; index < (long long)width * height; index++) canvas->pixels[index] = UNTOUCHED;
  return true;
}

static void removeCanvas(Canvas *canvas) {
  if (canvas->bitmap != NULL) SelectObject(canvas->context, canvas->before);
  if (canvas->bitmap != NULL) DeleteObject(canvas->bitmap);
  if (canvas->context != NULL) DeleteDC(canvas->context);
}

static bool isPainted(const Canvas *canvas) {
  for (long long index = 0; index < (long long)canvas->width * canvas->height; index++) {
    if ((canvas->pixels[index] & 0xffffff) != UNTOUCHED) return true;
  }
  return false;
}

static bool isCapturable(const RECT *area) {
  long long width = area->right - area->left;
  long long height = area->bottom - area->top;
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS;
}

/** Has the window paint itself, including covered parts. False where it painted nothing. */
static bool printWindow(HWND window, Canvas *canvas) {
  GdiFlush();
  bool isPrinted = PrintWindow(window, canvas->context, WHOLE_CONTENT) && (GdiFlush(), isPainted(canvas));
  return isPrinted;
}

typedef struct {
  HWND window;
  DWORD process;
  HWND dialogs[MAX_DIALOGS];
  int count;
} Search;

/** Windows come from the front to the back; those of the same program in front of the window are its dialogs. */
static BOOL CALLBACK takeDialog(HWND window, LPARAM parameter) {
  Search *search = (Search *)parameter;
  DWORD process = 0;
  if (window == search->window || search->count == MAX_DIALOGS) return FALSE;
  GetWindowThreadProcessId(window, &process);
  if (process == search->process && IsWindowVisible(window) && !IsIconic(window)) {
    search->dialogs[search->count++] = window;
  }
  return TRUE;
}

static void printDialogs(HWND window, const RECT *area, Canvas *canvas) {
  Search search = {.window = window};
  GetWindowThreadProcessId(window, &search.process);
  EnumWindows(takeDialog, (LPARAM)&search);
  while (search.count > 0) {
    HWND dialog = search.dialogs[--search.count];
    Canvas own = {0};
    RECT place;
    if (!GetWindowRect(dialog, &place) || !isCapturable(&place) || !isAnswering(dialog, MESSAGE_MS)) continue;
    if (createCanvas(&own, place.right - place.left, place.bottom - place.top) && printWindow(dialog, &own)) {
      BitBlt(canvas->context, place.left - area->left, place.top - area->top, own.width, own.height, own.context, 0, 0,
             SRCCOPY);
    }
    removeCanvas(&own);
  }
}

/** For windows that do not paint on request: brings them to the front, and copies the screen. */
static bool copyScreen(HWND window, const RECT *area, Canvas *canvas) {
  SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE);
  isAnswering(window, MESSAGE_MS);
  HDC screen = GetDC(NULL);
  if (screen == NULL) return false;
  bool isCopied = BitBlt(canvas->context, 0, 0, canvas->width, canvas->height, screen, area->left, area->top,
                         SRCCOPY | CAPTUREBLT);
  ReleaseDC(NULL, screen);
  GdiFlush();
  return isCopied && isPainted(canvas);
}

static bool writeAll(HANDLE file, const void *bytes, DWORD size) {
  DWORD count = 0;
  return WriteFile(file, bytes, size, &count, NULL) && count == size;
}

/** A file that must not exist yet: an existing one is not ours to write to. */
static bool writeBitmap(const wchar_t *path, const Canvas *canvas) {
  BITMAPFILEHEADER header = {0};
  BITMAPINFOHEADER info = {0};
  DWORD size = (DWORD)canvas->width * (DWORD)canvas->height * 4;
  header.bfType = 0x4d42;
  header.bfOffBits = sizeof header + sizeof info;
  header.bfSize = header.bfOffBits + size;
  info.biSize = sizeof info;
  info.biWidth = canvas->width;
  info.biHeight = -canvas->height;
  info.biPlanes = 1;
  info.biBitCount = 32;
  HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  bool isWritten =
      writeAll(file, &header, sizeof header) && writeAll(file, &info, sizeof info) && writeAll(file, canvas->pixels, size);
  CloseHandle(file);
  if (!isWritten) DeleteFileW(path);
  return isWritten;
}

static Refusal capture(HWND window, const wchar_t *path, Answer *answer) {
  Canvas canvas = {0};
  RECT area;
  const wchar_t *method = L"print";
  Refusal refusal = DONE;
  if (IsIconic(window)) ShowWindowAsync(window, SW_SHOWNOACTIVATE);
  if (!isAnswering(window, MESSAGE_MS)) return NO_ANSWER;
  if (!GetWindowRect(window, &area)) return NO_WINDOW;
  if (!isCapturable(&area)) return REFUSE("failed", L"The window is larger than any screen; resize it first.");
  if (!createCanvas(&canvas, area.right - area.left, area.bottom - area.top)) {
    refusal = REFUSE("failed", L"There is no room for an image of the window.");
  } else if (printWindow(window, &canvas)) {
    printDialogs(window, &area, &canvas);
  } else if (copyScreen(window, &area, &canvas)) {
    method = L"screen";
  } else {
    refusal = REFUSE("failed", L"The window shows nothing: the screen may be locked or switched off.");
  }
  if (refusal.error == NULL && !writeBitmap(path, &canvas)) {
    refusal = refuseWithCode("disk", L"The image cannot be written", GetLastError());
  }
  if (refusal.error == NULL) {
    putNumberMember(answer, "width", canvas.width);
    putNumberMember(answer, "height", canvas.height);
    putTextMember(answer, "method", method);
  }
  removeCanvas(&canvas);
  return refusal;
}

/** An image of a window with the dialogs in front of it, as a bitmap. */
Refusal captureWindow(const Request *request, Answer *answer) {
  const wchar_t *path = findTextField(request, "file");
  HWND window = findHandleField(request, "window");
  if (path == NULL || wcslen(path) >= MAX_FILE_PATH) {
    return REFUSE("invalid_request", L"The operation \"capture\" needs the members \"window\" and \"file\".");
  }
  return window == NULL ? NO_WINDOW : capture(window, path, answer);
}
