#include <wchar.h>

#include "service.h"

#define MAX_COMMAND_LINE 4096
#define BUFFER_BYTES 16384

/** Until nobody holds the other end: the agent, and anything it may have started. */
static DWORD WINAPI readOutput(void *parameter) {
  static char buffer[BUFFER_BYTES];
  HANDLE output = (HANDLE)parameter;
  DWORD count = 0;
  while (ReadFile(output, buffer, BUFFER_BYTES, &count, NULL) && count > 0) writeLog(buffer, count);
  CloseHandle(output);
  return 0;
}

/** The agent ends with this program, however this one ends: two agents would use one folder. */
static HANDLE createJob(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  HANDLE job = CreateJobObjectW(NULL, NULL);
  if (job != NULL) SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

static bool createProcess(const wchar_t *commandLine, HANDLE output, PROCESS_INFORMATION *process) {
  static wchar_t line[MAX_COMMAND_LINE];
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES | STARTF_USESHOWWINDOW};
  SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
  if (wcslen(commandLine) >= MAX_COMMAND_LINE) return false;
  wcscpy(line, commandLine);
  start.hStdInput = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
  start.hStdOutput = output;
  start.hStdError = output;
  start.wShowWindow = SW_HIDE;
  /* A console of its own, on which it can be asked to end; whether Ctrl+C is handled is inherited. */
  DWORD flags = CREATE_SUSPENDED | CREATE_NEW_CONSOLE;
  SetConsoleCtrlHandler(NULL, FALSE);
  bool isCreated = CreateProcessW(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, &start, process);
  if (start.hStdInput != INVALID_HANDLE_VALUE) CloseHandle(start.hStdInput);
  return isCreated;
}

bool startAgent(const wchar_t *commandLine, Agent *agent) {
  SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
  PROCESS_INFORMATION process;
  HANDLE ours, theirs;
  if (!CreatePipe(&ours, &theirs, &inherited, 0)) return false;
  SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0);
  bool isCreated = createProcess(commandLine, theirs, &process);
  CloseHandle(theirs);
  if (!isCreated) {
    DWORD code = GetLastError();
    CloseHandle(ours);
    SetLastError(code);
    return false;
  }
  agent->job = createJob();
  if (agent->job != NULL) AssignProcessToJobObject(agent->job, process.hProcess);
  agent->process = process.hProcess;
  agent->pid = process.dwProcessId;
  agent->reader = CreateThread(NULL, 0, readOutput, ours, 0, NULL);
  ResumeThread(process.hThread);
  CloseHandle(process.hThread);
  return true;
}

void askAgentToEnd(const Agent *agent) {
  FreeConsole();
  if (!AttachConsole(agent->pid)) return;
  /* All programs of a console are asked, including this one. */
  SetConsoleCtrlHandler(NULL, TRUE);
  GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
  FreeConsole();
}

void endAgent(Agent *agent) {
  TerminateProcess(agent->process, 1);
  if (agent->job != NULL) TerminateJobObject(agent->job, 1);
  WaitForSingleObject(agent->process, INFINITE);
  if (agent->reader != NULL) {
    WaitForSingleObject(agent->reader, 5000);
    CloseHandle(agent->reader);
  }
  if (agent->job != NULL) CloseHandle(agent->job);
  CloseHandle(agent->process);
}
