#ifndef BERTH_SESSION_H
#define BERTH_SESSION_H

#include "../window/operations.h"

/**
 * The part of the window program for agents without a screen, which run as a Windows service. It stays in the session
 * of the user and looks into a folder for requests. NAME.session is answered by the program itself, one after the other
 * in the order of names; NAME.window by another run of this program, because windows may hang. Requests are taken by a
 * rename, so that none is carried out twice, and are dropped when they are old: their sender has given up.
 *
 * Exit codes: 1 the folder cannot be used, 3 another session helper looks into it already.
 */
int serveSession(const wchar_t *folder);

/** `start`, `processes`, `end`, `end_job`, `capture`. */
Refusal startProgram(const Request *request, Answer *answer);
Refusal listProcesses(const Request *request, Answer *answer);
Refusal endProcess(const Request *request, Answer *answer);
Refusal endJob(const Request *request, Answer *answer);
Refusal captureWindow(const Request *request, Answer *answer);

/** A refusal with Windows' own error. The text is valid until the next one. */
Refusal refuseWithCode(const char *error, const wchar_t *message, DWORD code);

/** The longest supported path. */
#define MAX_FILE_PATH 520

/** When a process was created, to distinguish it from a later one with the same number; 0 where it is unknown. */
ULONGLONG findCreation(HANDLE process);
/** In the agent's format: too large for a JSON number. */
void putCreation(Answer *answer, ULONGLONG creation);
/** Drops the cached list of processes. */
void forgetProcesses(void);

/** The most processes of one job that are listed. */
#define MAX_JOB_PROCESSES 1024

/** False for names that no agent uses for a job. */
bool isJobName(const wchar_t *name);
/** The job with that name in this session, or NULL where there is none. It is closed by this module. */
HANDLE findJob(const wchar_t *name);
/** The job with that name, created if missing. NULL where it cannot be created. */
HANDLE ensureJob(const wchar_t *name);

#endif
