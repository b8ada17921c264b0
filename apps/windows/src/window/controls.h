#ifndef BERTH_CONTROLS_H
#define BERTH_CONTROLS_H

#include "answer.h"

/** What kind of control a window is, by its class and style. */
typedef enum { CONTROL_OTHER, CONTROL_PUSH, CONTROL_CHECK, CONTROL_EDIT } ControlKind;

ControlKind kindOfControl(HWND control);
/** An edit field that shows dots: its text is never read. */
bool isSecret(HWND control);
/** The text of a control, cut at MAX_TEXT. False without an answer in time. */
bool readText(HWND control, wchar_t *text);

#endif
