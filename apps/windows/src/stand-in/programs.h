#ifndef BERTH_PROGRAMS_H
#define BERTH_PROGRAMS_H

#include "text.h"

/**
 * Compiled MQL programs that this terminal can run: those that were built from MQL source as C++ (docs/platforms/link.md).
 * Each runs on a thread of its own, as services and experts do.
 */

/** Starts the services of config\services.ini. */
void startServices(void);
/** Starts a program, where its file is one that can be run here. */
void startProgram(const wchar_t *path, bool isService);
bool hasPrograms(void);
/** A line that a program prints, as the window's thread receives it; frees it. */
void takePrinted(WPARAM isService, LPARAM text);
/** Tells all of them to end, and waits for a moment. */
void stopPrograms(void);

#endif
