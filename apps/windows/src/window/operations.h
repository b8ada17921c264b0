#ifndef BERTH_OPERATIONS_H
#define BERTH_OPERATIONS_H

#include "answer.h"
#include "request.h"

/**
 * Why an operation was refused: one of the protocol's words, and a sentence for a person. Both NULL when it was done.
 */
typedef struct {
  const char *error;
  const wchar_t *message;
} Refusal;

/** Writes what it found as members of the answer's open object. */
typedef Refusal (*Operation)(const Request *request, Answer *answer);

#define DONE ((Refusal){NULL, NULL})
#define REFUSE(error, message) ((Refusal){error, message})
#define NO_ANSWER REFUSE("timeout", L"The window did not answer in time: it hangs, or a dialog of it keeps it busy.")
#define NO_WINDOW REFUSE("no_window", L"There is no such window; list them again with the operation \"windows\".")
#define NO_CONTROL REFUSE("no_control", L"There is no such control; list them again with the operation \"controls\".")

Refusal listWindows(const Request *request, Answer *answer);
Refusal listControls(const Request *request, Answer *answer);
Refusal setText(const Request *request, Answer *answer);
Refusal checkButton(const Request *request, Answer *answer);
Refusal selectItem(const Request *request, Answer *answer);
Refusal editItem(const Request *request, Answer *answer);
Refusal activateControl(const Request *request, Answer *answer);
Refusal pressControl(const Request *request, Answer *answer);
Refusal sendCommand(const Request *request, Answer *answer);
Refusal closeWindow(const Request *request, Answer *answer);
Refusal resizeWindow(const Request *request, Answer *answer);
Refusal pressKeys(const Request *request, Answer *answer);
Refusal readClipboard(const Request *request, Answer *answer);

/**
 * The control of a request that may be operated: it exists, is enabled, and no dialog stands in front of its window.
 */
Refusal findOperable(const Request *request, HWND *control);

#endif
