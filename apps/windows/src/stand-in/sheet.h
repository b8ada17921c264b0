#ifndef BERTH_SHEET_H
#define BERTH_SHEET_H

#include <windows.h>

#define SHEET_PAGES 4

typedef struct {
  int resource;
  DLGPROC handle;
} SheetPage;

/** A dialog of several pages. */
typedef struct {
  const wchar_t *title;
  /** Beside those that all have. */
  DWORD flags;
  /** Of every page; NULL for the titles that stand in the resources. */
  const wchar_t *pageTitle;
} Sheet;

/** Opens it in front of the main window, and returns when it is closed. */
void openSheet(Sheet sheet, const SheetPage pages[SHEET_PAGES]);

#endif
