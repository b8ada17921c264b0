#include <string.h>

#include "controls.h"
#include "messages.h"
#include "operations.h"

Refusal findOperable(const Request *request, HWND *control) {
  *control = findHandleField(request, "control");
  if (*control == NULL || GetAncestor(*control, GA_ROOT) == *control) return NO_CONTROL;
  if (!IsWindowEnabled(GetAncestor(*control, GA_ROOT))) {
    return REFUSE("failed", L"Another dialog stands in front of this window; end that one first.");
  }
  if (!IsWindowEnabled(*control)) return REFUSE("failed", L"The control is disabled.");
  return isAnswering(*control, MESSAGE_MS) ? DONE : NO_ANSWER;
}

/**
 * Sets the text of a control. A multi-line field notifies its dialog of typed changes, but not of WM_SETTEXT, so its
 * text is selected and replaced.
 */
Refusal setText(const Request *request, Answer *answer) {
  static wchar_t found[MAX_TEXT + 1];
  HWND control;
  const wchar_t *text = findTextField(request, "text");
  if (text == NULL) return REFUSE("invalid_request", L"The operation \"set\" needs the member \"text\".");
  Refusal refusal = findOperable(request, &control);
  if (refusal.error != NULL) return refusal;
  LONG style = GetWindowLongW(control, GWL_STYLE);
  bool isEdit = kindOfControl(control) == CONTROL_EDIT;
  if (isEdit && (style & ES_READONLY) != 0) return REFUSE("failed", L"The field can only be read.");
  bool isSet = isEdit && (style & ES_MULTILINE) != 0
                   ? askWindow(control, EM_SETSEL, 0, -1, NULL) &&
                         askWindow(control, EM_REPLACESEL, TRUE, (LPARAM)text, NULL)
                   : askWindow(control, WM_SETTEXT, 0, (LPARAM)text, NULL);
  if (!isSet) return NO_ANSWER;
  if (isSecret(control)) return DONE;
  if (!readText(control, found)) return NO_ANSWER;
  putTextMember(answer, "text", found);
  return wcscmp(text, found) == 0 ? DONE : REFUSE("failed", L"The control did not keep the whole text.");
}

/** Ticks a box, or not. A click first, because the dialog then hears of it; where that changes nothing, by force. */
Refusal checkButton(const Request *request, Answer *answer) {
  HWND control;
  long long on = 0;
  LRESULT state = 0;
  if (!findNumberField(request, "on", 0, 1, &on)) {
    return REFUSE("invalid_request", L"The operation \"check\" needs the member \"on\", 0 or 1.");
  }
  Refusal refusal = findOperable(request, &control);
  if (refusal.error != NULL) return refusal;
  if (kindOfControl(control) != CONTROL_CHECK) return REFUSE("failed", L"The control is no check box or radio button.");
  if (!askWindow(control, BM_GETCHECK, 0, 0, &state)) return NO_ANSWER;
  if ((state == BST_CHECKED) != (on == 1)) {
    if (!askWindow(control, BM_CLICK, 0, 0, NULL) || !askWindow(control, BM_GETCHECK, 0, 0, &state)) return NO_ANSWER;
  }
  if ((state == BST_CHECKED) != (on == 1)) {
    if (!askWindow(control, BM_SETCHECK, on == 1 ? BST_CHECKED : BST_UNCHECKED, 0, NULL)) return NO_ANSWER;
    notifyParent(control, BN_CLICKED);
    if (!askWindow(control, BM_GETCHECK, 0, 0, &state)) return NO_ANSWER;
  }
  putBoolMember(answer, "checked", state == BST_CHECKED);
  return (state == BST_CHECKED) == (on == 1) ? DONE : REFUSE("failed", L"The button did not keep the state.");
}

/** Presses without waiting: what a button does may open a dialog, and then it answers when that is closed. */
Refusal pressControl(const Request *request, Answer *answer) {
  HWND control;
  RECT area = {0};
  (void)answer;
  Refusal refusal = findOperable(request, &control);
  if (refusal.error != NULL) return refusal;
  ControlKind kind = kindOfControl(control);
  if (kind == CONTROL_PUSH || kind == CONTROL_CHECK) {
    return PostMessageW(control, BM_CLICK, 0, 0) ? DONE : NO_CONTROL;
  }
  GetClientRect(control, &area);
  LPARAM middle = MAKELPARAM((area.right - area.left) / 2, (area.bottom - area.top) / 2);
  bool isPosted = PostMessageW(control, WM_LBUTTONDOWN, MK_LBUTTON, middle) &&
                  PostMessageW(control, WM_LBUTTONUP, 0, middle);
  return isPosted ? DONE : NO_CONTROL;
}
