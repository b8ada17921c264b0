#include <windows.h>
#include <commctrl.h>
#include <string.h>

#include "lists.h"
#include "messages.h"
#include "operations.h"

/** The number of the item that a request names by number or by its whole text; -1 where there is none. */
static LRESULT findItem(HWND control, ListKind kind, const RemoteMemory *memory, const Field *item, LRESULT count) {
  static wchar_t text[MAX_TEXT + 1];
  if (!item->isText) return item->number >= 0 && item->number < count ? (LRESULT)item->number : -1;
  for (LRESULT index = 0; index < count && index < MAX_ITEMS; index++) {
    if (!readItem(control, kind, memory, index, text)) return -1;
    if (wcscmp(text, item->text) == 0) return index;
  }
  return -1;
}

/** The list of a request and its item. `choose` then does something with both; the memory is given back behind it. */
static Refusal withItem(const Request *request, HWND control, Answer *answer,
                        Refusal (*choose)(const Request *, HWND, ListKind, const RemoteMemory *, LRESULT, Answer *)) {
  wchar_t class[64] = L"";
  RemoteMemory memory = {0};
  LRESULT count = 0;
  LRESULT selected = -1;
  GetClassNameW(control, class, 64);
  ListKind kind = kindOfList(class);
  if (kind == LIST_NONE) return REFUSE("failed", L"The control is no list, no combo box and no row of tabs.");
  if (!measureList(control, kind, &count, &selected)) return NO_ANSWER;
  if ((kind == LIST_VIEW || kind == LIST_TABS) && !openRemoteMemory(control, &memory)) {
    closeRemoteMemory(&memory);
    return REFUSE("failed", L"The program of the control may not be entered, so its items cannot be read.");
  }
  LRESULT index = findItem(control, kind, &memory, findField(request, "item"), count);
  Refusal refusal = index < 0 ? REFUSE("failed", L"The list has no such item.")
                              : choose(request, control, kind, &memory, index, answer);
  closeRemoteMemory(&memory);
  return refusal;
}

static Refusal choose(const Request *request, HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index,
                      Answer *answer) {
  LRESULT count = 0;
  LRESULT selected = -1;
  (void)request;
  if (!chooseItem(control, kind, memory, index) || !measureList(control, kind, &count, &selected)) return NO_ANSWER;
  putNumberMember(answer, "selected", selected);
  return selected == index ? DONE : REFUSE("failed", L"The list did not take the selection.");
}

Refusal selectItem(const Request *request, Answer *answer) {
  HWND control;
  if (findField(request, "item") == NULL) {
    return REFUSE("invalid_request", L"The operation \"select\" needs the member \"item\".");
  }
  Refusal refusal = findOperable(request, &control);
  return refusal.error != NULL ? refusal : withItem(request, control, answer, choose);
}

/** Gives a control of a dialog the keyboard, or brings a document window to the front. */
static bool activate(HWND control) {
  wchar_t class[64] = L"";
  HWND parent = GetParent(control);
  GetClassNameW(parent, class, 64);
  if (_wcsicmp(class, L"MDIClient") == 0) {
    return askWindow(parent, WM_MDIACTIVATE, (WPARAM)control, 0, NULL) &&
           askWindow(parent, WM_MDIMAXIMIZE, (WPARAM)control, 0, NULL);
  }
  return askWindow(GetAncestor(control, GA_ROOT), WM_NEXTDLGCTL, (WPARAM)control, TRUE, NULL);
}

Refusal activateControl(const Request *request, Answer *answer) {
  HWND control;
  (void)answer;
  Refusal refusal = findOperable(request, &control);
  if (refusal.error != NULL) return refusal;
  return activate(control) ? DONE : NO_ANSWER;
}

/** Opens the field of a label, sets its text, and ends with the enter key: the program hears of it as of a person. */
static Refusal edit(const Request *request, HWND control, ListKind kind, const RemoteMemory *memory, LRESULT index,
                    Answer *answer) {
  LRESULT field = 0;
  (void)answer;
  if (kind != LIST_VIEW) return REFUSE("failed", L"Only the labels of list views can be edited.");
  if (!activate(control) || !chooseItem(control, kind, memory, index)) return NO_ANSWER;
  if (!askWindow(control, LVM_EDITLABELW, (WPARAM)index, 0, &field)) return NO_ANSWER;
  if (field == 0) return REFUSE("failed", L"The list does not let its labels be edited.");
  bool isSet = askWindow((HWND)field, WM_SETTEXT, 0, (LPARAM)findTextField(request, "text"), NULL) &&
               askWindow((HWND)field, WM_KEYDOWN, VK_RETURN, 0, NULL);
  return isSet ? DONE : NO_ANSWER;
}

Refusal editItem(const Request *request, Answer *answer) {
  HWND control;
  if (findField(request, "item") == NULL || findTextField(request, "text") == NULL) {
    return REFUSE("invalid_request", L"The operation \"edit\" needs the members \"item\" and \"text\".");
  }
  Refusal refusal = findOperable(request, &control);
  return refusal.error != NULL ? refusal : withItem(request, control, answer, edit);
}
