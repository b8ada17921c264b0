#include "controls.h"

#include <windows.h>
#include <commctrl.h>

#include "lists.h"
#include "messages.h"
#include "operations.h"

#define MAX_DEPTH 32

ControlKind kindOfControl(HWND control) {
  wchar_t class[64] = L"";
  LONG style = GetWindowLongW(control, GWL_STYLE);
  GetClassNameW(control, class, 64);
  if (_wcsicmp(class, L"Edit") == 0 || _wcsnicmp(class, L"RichEdit", 8) == 0) return CONTROL_EDIT;
  if (_wcsicmp(class, L"Button") != 0) return CONTROL_OTHER;
  switch (style & BS_TYPEMASK) {
    case BS_CHECKBOX:
    case BS_AUTOCHECKBOX:
    case BS_3STATE:
    case BS_AUTO3STATE:
    case BS_RADIOBUTTON:
    case BS_AUTORADIOBUTTON:
      return CONTROL_CHECK;
    case BS_GROUPBOX:
      return CONTROL_OTHER;
    default:
      return CONTROL_PUSH;
  }
}

bool isSecret(HWND control) {
  return kindOfControl(control) == CONTROL_EDIT && (GetWindowLongW(control, GWL_STYLE) & ES_PASSWORD) != 0;
}

bool readText(HWND control, wchar_t *text) {
  text[0] = 0;
  if (!askWindow(control, WM_GETTEXT, MAX_TEXT + 1, (LPARAM)text, NULL)) return false;
  text[MAX_TEXT] = 0;
  return true;
}

/** The items of a list, as many as fit; a list whose process may not be entered has none. */
static bool putItems(Answer *answer, HWND control, ListKind kind) {
  static wchar_t text[MAX_TEXT + 1];
  RemoteMemory memory = {0};
  LRESULT count = 0;
  LRESULT selected = -1;
  LRESULT index = 0;
  bool isNew = kind == LIST_VIEW || kind == LIST_TABS;
  bool isAnswered = measureList(control, kind, &count, &selected);
  if (isAnswered && (!isNew || openRemoteMemory(control, &memory))) {
    putKey(answer, "items");
    putOpening(answer, '[');
    for (; index < count && index < MAX_ITEMS && isAnswered; index++) {
      size_t place = placeOf(answer);
      isAnswered = readItem(control, kind, &memory, index, text);
      putText(answer, text);
      if (!isOverfull(answer)) continue;
      returnTo(answer, place);
      break;
    }
    putClosing(answer, ']');
    if (index < count) putBoolMember(answer, "truncated", true);
  }
  closeRemoteMemory(&memory);
  if (isAnswered) putNumberMember(answer, "selected", selected);
  return isAnswered;
}

static bool putControl(Answer *answer, HWND control, HWND parent) {
  static wchar_t text[MAX_TEXT + 1];
  wchar_t class[257] = L"";
  LRESULT checked = 0;
  RECT rectangle = {0};
  GetClassNameW(control, class, 257);
  GetWindowRect(control, &rectangle);
  bool isHidden = isSecret(control);
  if (isHidden) {
    text[0] = 0;
  } else if (!readText(control, text)) {
    return false;
  }
  putOpening(answer, '{');
  putHandleMember(answer, "handle", control);
  putHandleMember(answer, "parent", parent);
  putNumberMember(answer, "id", GetDlgCtrlID(control));
  putTextMember(answer, "class", class);
  putTextMember(answer, "text", text);
  if (isHidden) putBoolMember(answer, "secret", true);
  putBoolMember(answer, "enabled", IsWindowEnabled(control));
  putBoolMember(answer, "visible", IsWindowVisible(control));
  putNumberMember(answer, "style", (unsigned)GetWindowLongW(control, GWL_STYLE));
  putKey(answer, "rect");
  putRectangle(answer, &rectangle);
  if (kindOfControl(control) == CONTROL_CHECK) {
    if (!askWindow(control, BM_GETCHECK, 0, 0, &checked)) return false;
    putBoolMember(answer, "checked", checked == BST_CHECKED);
  }
  ListKind kind = kindOfList(class);
  if (kind != LIST_NONE && !putItems(answer, control, kind)) return false;
  putClosing(answer, '}');
  return true;
}

typedef struct {
  Answer *answer;
  size_t count;
  bool isTruncated;
  /** A control did not answer: the rest would not either. */
  bool isSilent;
} Listing;

/**
 * Each child before its own children. A window that vanishes meanwhile has no text and no children, and is passed
 * over.
 */
static void putChildren(Listing *listing, HWND parent, int depth) {
  HWND child = GetWindow(parent, GW_CHILD);
  for (; child != NULL && !listing->isTruncated && !listing->isSilent; child = GetWindow(child, GW_HWNDNEXT)) {
    size_t place = placeOf(listing->answer);
    bool isPut = listing->count < MAX_ITEMS && putControl(listing->answer, child, parent);
    if (!isPut && listing->count < MAX_ITEMS) {
      returnTo(listing->answer, place);
      listing->isSilent = IsWindow(child);
      continue;
    }
    if (!isPut || isOverfull(listing->answer)) {
      returnTo(listing->answer, place);
      listing->isTruncated = true;
      return;
    }
    listing->count++;
    if (depth < MAX_DEPTH) putChildren(listing, child, depth + 1);
  }
}

Refusal listControls(const Request *request, Answer *answer) {
  Listing listing = {.answer = answer};
  HWND window = findHandleField(request, "window");
  if (window == NULL) return NO_WINDOW;
  if (!isAnswering(window, MESSAGE_MS)) return NO_ANSWER;
  putKey(answer, "controls");
  putOpening(answer, '[');
  putChildren(&listing, window, 1);
  if (listing.isSilent) return NO_ANSWER;
  putClosing(answer, ']');
  if (listing.isTruncated) putBoolMember(answer, "truncated", true);
  return DONE;
}
