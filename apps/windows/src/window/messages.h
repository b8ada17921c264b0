#ifndef BERTH_MESSAGES_H
#define BERTH_MESSAGES_H

#include <stdbool.h>
#include <windows.h>

/**
 * Messages to windows of other processes, each with an end: a window that hangs costs MESSAGE_MS once, and everything
 * that this program asks for in one run costs RUN_MS at most.
 */
#define MESSAGE_MS 2000
#define RUN_MS 20000

/** Starts the clock of RUN_MS. */
void beginRun(void);

/** Sends a message and waits for its answer. False where none came in time, or the window is gone. */
bool askWindow(HWND window, UINT message, WPARAM wParam, LPARAM lParam, LRESULT *answer);

/** Whether the thread of a window answers messages now. */
bool isAnswering(HWND window, DWORD patienceMs);

/** Notifies the parent of a control of an event, as the control itself would. Does not wait: a dialog may open. */
void notifyParent(HWND control, WORD code);

#endif
