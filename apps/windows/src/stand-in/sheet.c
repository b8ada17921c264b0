#include "sheet.h"

#include <commctrl.h>

#include "terminal.h"

void openSheet(Sheet sheet, const SheetPage pages[SHEET_PAGES]) {
  PROPSHEETPAGEW sheets[SHEET_PAGES] = {0};
  PROPSHEETHEADERW header = {.dwSize = sizeof header};
  for (size_t index = 0; index < SHEET_PAGES; index++) {
    sheets[index].dwSize = sizeof sheets[index];
    if (sheet.pageTitle) sheets[index].dwFlags = PSP_USETITLE;
    sheets[index].pszTitle = sheet.pageTitle;
    sheets[index].hInstance = app.instance;
    sheets[index].pszTemplate = MAKEINTRESOURCEW(pages[index].resource);
    sheets[index].pfnDlgProc = pages[index].handle;
  }
  header.dwFlags = PSH_PROPSHEETPAGE | PSH_NOCONTEXTHELP | sheet.flags;
  header.hwndParent = app.window;
  header.hInstance = app.instance;
  header.pszCaption = sheet.title;
  header.nPages = SHEET_PAGES;
  header.ppsp = sheets;
  PropertySheetW(&header);
}
