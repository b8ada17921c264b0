#ifndef BERTH_SESSION_H
#define BERTH_SESSION_H

#include "../window/operations.h"

/**
 * What the window program does besides windows, for agents that have no screen: a service of Windows. It stays in the
 * session of the user and looks into a folder for requests. NAME.session is answered by the program itself, one after the
 * other in the order of names; NAME.window by another run of this program, because windows may hang. Requests are taken by
 * a rename, so that none is carried out twice, and are dropped when they are old: whoever asked has given up.
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

/** A refusal that names what Windows said. The text lasts until the next one. */
Refusal refuseWithCode(const char *error, const wchar_t *message, DWORD code);

/** The longest path that is handled. */
#define MAX_FILE_PATH 520

/** When a process was created, which tells it from a later one with the same number; 0 where it cannot be known. */
ULONGLONG findCreation(HANDLE process);
/** As the agent keeps it: longer than numbers of JSON can be. */
void putCreation(Answer *answer, ULONGLONG creation);
/** What was found out about processes is of no use any more: others run now, or are asked for. */
void forgetProcesses(void);

/** The most processes of one job that are listed. */
#define MAX_JOB_PROCESSES 1024

/** False for names that no agent gives to a job. */
bool isJobName(const wchar_t *name);
/** The job of that name in this session, or NULL where there is none. It is this module's to close. */
HANDLE findJob(const wchar_t *name);
/** The job of that name, made where there is none. NULL where it cannot be made. */
HANDLE ensureJob(const wchar_t *name);

#endif
