/**
 * berth-service.exe <folder of the log> -- <command line of the agent>: runs the agent as a service of Windows. Only the
 * service control manager starts it. An agent that ends is started again, after a second at first, and after twice as long
 * each time it ends soon. To stop, the agent is asked by Ctrl+C; its terminals live on.
 *
 * Exit codes: 0 stopped, 1 it was not started by the service control manager, 2 wrong arguments.
 */
#include <windows.h>
#include <shellapi.h>
#include <stdio.h>
#include <wchar.h>

#include "service.h"

#define FIRST_BACKOFF_MS 1000
#define MAX_BACKOFF_MS 60000
/** An agent that lived as long as this has not ended soon. */
#define SETTLED_MS 600000
/** Longer than an agent takes to end: 10 s for its attempts and some seconds to report. */
#define STOP_MS 30000
#define STEP_MS 1000

static const wchar_t *agentLine;
static wchar_t name[257];
static SERVICE_STATUS_HANDLE statusHandle;
static SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS};
static HANDLE stopWished;

static void report(WORD type, const wchar_t *text) {
  HANDLE events = RegisterEventSourceW(NULL, name);
  if (events == NULL) return;
  ReportEventW(events, type, 0, 1, NULL, 1, 0, &text, NULL);
  DeregisterEventSource(events);
}

static void reportState(DWORD state, DWORD patienceMs) {
  bool isPending = state == SERVICE_START_PENDING || state == SERVICE_STOP_PENDING;
  status.dwCurrentState = state;
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN : 0;
  status.dwCheckPoint = isPending ? status.dwCheckPoint + 1 : 0;
  status.dwWaitHint = patienceMs;
  SetServiceStatus(statusHandle, &status);
}

static DWORD WINAPI control(DWORD code, DWORD type, void *data, void *context) {
  (void)type, (void)data, (void)context;
  if (code == SERVICE_CONTROL_INTERROGATE) return NO_ERROR;
  if (code != SERVICE_CONTROL_STOP && code != SERVICE_CONTROL_SHUTDOWN) return ERROR_CALL_NOT_IMPLEMENTED;
  SetEvent(stopWished);
  return NO_ERROR;
}

static void stopAgent(Agent *agent) {
  askAgentToEnd(agent);
  for (DWORD waited = 0; waited < STOP_MS; waited += STEP_MS) {
    reportState(SERVICE_STOP_PENDING, STEP_MS * 3);
    if (WaitForSingleObject(agent->process, STEP_MS) == WAIT_OBJECT_0) return;
  }
  report(EVENTLOG_WARNING_TYPE, L"The agent did not end in time and was ended by force. Its terminals live on.");
}

/** Runs one agent to its end. @returns false if a stop was requested */
static bool runAgent(void) {
  Agent agent;
  DWORD code = 0;
  wchar_t text[256];
  if (!startAgent(agentLine, &agent)) {
    _snwprintf(text, 255, L"Windows does not start the agent (error %lu).", (unsigned long)GetLastError());
    report(EVENTLOG_ERROR_TYPE, text);
    return true;
  }
  HANDLE handles[2] = {stopWished, agent.process};
  bool isStopped = WaitForMultipleObjects(2, handles, FALSE, INFINITE) == WAIT_OBJECT_0;
  if (isStopped) {
    stopAgent(&agent);
  } else {
    GetExitCodeProcess(agent.process, &code);
    _snwprintf(text, 255, L"The agent has ended with %ld and is started again. Its log says why.", (long)code);
    report(EVENTLOG_WARNING_TYPE, text);
  }
  endAgent(&agent);
  return !isStopped;
}

static void WINAPI serviceMain(DWORD count, wchar_t **arguments) {
  wcsncpy(name, count > 0 ? arguments[0] : L"Berth", 256);
  statusHandle = RegisterServiceCtrlHandlerExW(name, control, NULL);
  if (statusHandle == NULL) return;
  reportState(SERVICE_START_PENDING, STEP_MS * 3);
  stopWished = CreateEventW(NULL, TRUE, FALSE, NULL);
  reportState(SERVICE_RUNNING, 0);
  DWORD backoffMs = FIRST_BACKOFF_MS;
  for (;;) {
    ULONGLONG begin = GetTickCount64();
    if (!runAgent()) break;
    if (GetTickCount64() - begin >= SETTLED_MS) backoffMs = FIRST_BACKOFF_MS;
    if (WaitForSingleObject(stopWished, backoffMs) == WAIT_OBJECT_0) break;
    backoffMs = backoffMs * 2 > MAX_BACKOFF_MS ? MAX_BACKOFF_MS : backoffMs * 2;
  }
  reportState(SERVICE_STOPPED, 0);
}

int main(void) {
  static SERVICE_TABLE_ENTRYW services[] = {{(wchar_t *)L"", serviceMain}, {NULL, NULL}};
  int count = 0;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  const wchar_t *mark = wcsstr(GetCommandLineW(), L" -- ");
  if (arguments == NULL || count < 4 || mark == NULL || wcscmp(arguments[2], L"--") != 0) return 2;
  agentLine = mark + 4;
  if (!openLog(arguments[1])) return 2;
  return StartServiceCtrlDispatcherW(services) ? 0 : 1;
}
