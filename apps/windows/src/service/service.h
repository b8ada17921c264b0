#ifndef BERTH_SERVICE_H
#define BERTH_SERVICE_H

#include <stdbool.h>
#include <windows.h>

/**
 * The agent's process with everything it started itself. That does not include terminals: the session helper starts
 * them.
 */
typedef struct {
  HANDLE process;
  HANDLE job;
  HANDLE reader;
  DWORD pid;
} Agent;

/** Starts the agent with this command line; its output goes to the log. False if Windows does not start it. */
bool startAgent(const wchar_t *commandLine, Agent *agent);
/** Presses Ctrl+C, which asks the agent to end: its terminals live on. */
void askAgentToEnd(const Agent *agent);
/** Ends by force what is left of it, and waits until all its output is in the log. */
void endAgent(Agent *agent);

/** The log is `agent.log` in this folder; a full one becomes `agent.log.1`. False where it cannot be written. */
bool openLog(const wchar_t *folder);
void writeLog(const char *bytes, DWORD size);

#endif
