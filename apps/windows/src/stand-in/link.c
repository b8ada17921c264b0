#include <winsock2.h>
#include <ws2tcpip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "json.h"
#include "link.h"
#include "socket-lines.h"

/** First and longest wait before another attempt, and how often an open connection is measured. */
#define FIRST_WAIT_MS 250
#define LONGEST_WAIT_MS 10000
#define KEEP_ALIVE_MS 10000
#define ANSWER_MS 10000

/** The number of the connection that is wanted: a thread with another one ends. */
static volatile LONG wanted;
static Lines *standing;
static CRITICAL_SECTION lock;
static bool isLockMade;

typedef struct {
  LONG number;
  Credentials credentials;
} Run;

/** `host:port` is itself; a name stands in config\servers.txt, `Name=host:port`, where `*` is every other name. */
bool findServer(const wchar_t *server, char *host, char *port) {
  wchar_t path[MAX_NAME];
  wchar_t line[MAX_LINE];
  wchar_t found[256] = L"";
  Text text = {0};
  if (wcschr(server, L':') != NULL) wcsncpy(found, server, 255);
  joinPath(path, app.root, L"config\\servers.txt");
  readTextFile(path, &text);
  const wchar_t *at = text.chars;
  while (wcschr(server, L':') == NULL && nextLine(&at, line)) {
    wchar_t *separator = wcschr(line, L'=');
    if (separator == NULL) continue;
    *separator = 0;
    if (isSame(line, server) || (wcscmp(line, L"*") == 0 && found[0] == 0)) wcsncpy(found, separator + 1, 255);
  }
  freeText(&text);
  wchar_t *colon = wcsrchr(found, L':');
  if (colon == NULL) return false;
  *colon = 0;
  return WideCharToMultiByte(CP_UTF8, 0, found, -1, host, 256, NULL, NULL) > 0 &&
         WideCharToMultiByte(CP_UTF8, 0, colon + 1, -1, port, 16, NULL, NULL) > 0;
}

static void notify(const Run *run, LinkKind kind, double pingMs, const char *line) {
  LinkEvent *event = calloc(1, sizeof *event);
  if (event == NULL || app.window == NULL) return;
  event->kind = kind;
  event->pingMs = pingMs;
  event->line = line == NULL ? NULL : _strdup(line);
  PostMessageW(app.window, WM_LINK, (WPARAM)run->number, (LPARAM)event);
}

static bool isWanted(const Run *run) { return wanted == run->number; }

static bool isKind(const char *line, const char *kind) {
  const char *type = findMember(line, "type");
  return type != NULL && strncmp(type + 1, kind, strlen(kind)) == 0 && type[1 + strlen(kind)] == '"';
}

static double now(void) {
  LARGE_INTEGER count, frequency;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&frequency);
  return (double)count.QuadPart * 1000.0 / (double)frequency.QuadPart;
}

/** Reads until the connection ends: ticks go to the window, pongs are measured. */
static void stayOnline(const Run *run, Lines *lines) {
  double sentAt = now();
  double reportedAt = sentAt;
  bool isWaiting = false;
  while (isWanted(run)) {
    const char *line = readLine(lines, 1000);
    if (line == NULL && lines->isEnded) return;
    if (line != NULL && isKind(line, "ticks")) notify(run, LINK_TICKS, 0, line);
    if (line != NULL) takeBrokersLine(line);
    if (line != NULL && isKind(line, "pong") && isWaiting) {
      bool isDue = now() - reportedAt >= app.faults.pingEveryMs;
      isWaiting = false;
      notify(run, LINK_PING, isDue ? now() - sentAt : -(now() - sentAt), NULL);
      if (isDue) reportedAt = now();
    }
    double pause = app.faults.pingEveryMs < KEEP_ALIVE_MS ? app.faults.pingEveryMs : KEEP_ALIVE_MS;
    if (isWaiting && now() - sentAt > ANSWER_MS) return;
    if (!isWaiting && now() - sentAt >= pause) {
      sentAt = now();
      EnterCriticalSection(&lock);
      isWaiting = writeLine(lines, "{\"type\":\"ping\",\"id\":2}\n");
      LeaveCriticalSection(&lock);
    }
  }
}

static void sendLogin(Lines *lines, const Credentials *credentials) {
  Text text = {0};
  addText(&text, L"{\"type\":\"login\",\"server\":");
  addJsonText(&text, credentials->server);
  addText(&text, L",\"login\":");
  addJsonText(&text, credentials->login);
  addText(&text, L",\"password\":");
  addJsonText(&text, credentials->password);
  addText(&text, L"}\n");
  char *bytes = toUtf8(text.chars);
  writeLine(lines, bytes);
  free(bytes);
  freeText(&text);
}

typedef enum { OUTCOME_GIVE_UP, OUTCOME_TRY_AGAIN, OUTCOME_WAS_ONLINE } Outcome;

static Outcome connectOnce(const Run *run) {
  char host[256];
  char port[16];
  double pingMs = 0;
  double sentAt = now();
  const char *line;
  /* An unknown name is never looked up: the terminal stays silent, as a real one does. */
  if (!findServer(run->credentials.server, host, port)) return OUTCOME_GIVE_UP;
  Lines *lines = openLines(host, port, ANSWER_MS);
  if (lines != NULL) {
    sentAt = now();
    writeLine(lines, "{\"type\":\"ping\",\"id\":1}\n");
    sendLogin(lines, &run->credentials);
  }
  do {
    line = lines == NULL ? NULL : readLine(lines, ANSWER_MS);
    if (line != NULL && isKind(line, "pong")) pingMs = now() - sentAt;
  } while (line != NULL && isKind(line, "pong"));
  Outcome outcome = OUTCOME_GIVE_UP;
  if (line == NULL) {
    if (isWanted(run)) notify(run, LINK_NO_CONNECTION, 0, NULL);
    outcome = OUTCOME_TRY_AGAIN;
  } else if (isKind(line, "welcome")) {
    EnterCriticalSection(&lock);
    standing = lines;
    LeaveCriticalSection(&lock);
    notify(run, LINK_WELCOME, pingMs, line);
    takeBrokersWelcome(line);
    stayOnline(run, lines);
    EnterCriticalSection(&lock);
    if (standing == lines) standing = NULL;
    LeaveCriticalSection(&lock);
    takeBrokersLoss();
    if (isWanted(run)) notify(run, LINK_LOST, 0, NULL);
    outcome = OUTCOME_WAS_ONLINE;
  } else if (isKind(line, "refused")) {
    notify(run, LINK_REFUSED, 0, line);
  }
  closeLines(lines);
  return outcome;
}

static DWORD WINAPI keepConnected(void *parameter) {
  Run *run = parameter;
  DWORD wait = FIRST_WAIT_MS;
  while (isWanted(run)) {
    Outcome outcome = connectOnce(run);
    if (outcome == OUTCOME_GIVE_UP) break;
    if (outcome == OUTCOME_WAS_ONLINE) wait = FIRST_WAIT_MS;
    for (DWORD waited = 0; waited < wait && isWanted(run); waited += 50) Sleep(50);
    wait = wait * 2 > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : wait * 2;
  }
  SecureZeroMemory(run, sizeof *run);
  free(run);
  return 0;
}

WPARAM connectAccount(const Credentials *credentials) {
  Run *run = calloc(1, sizeof *run);
  if (run == NULL) ExitProcess(1);
  if (!isLockMade) InitializeCriticalSection(&lock);
  isLockMade = true;
  run->number = InterlockedIncrement(&wanted);
  run->credentials = *credentials;
  WPARAM number = (WPARAM)run->number;
  CloseHandle(CreateThread(NULL, 0, keepConnected, run, 0, NULL));
  return number;
}

void endConnection(void) { InterlockedIncrement(&wanted); }

void sendLine(const wchar_t *line) {
  char *bytes = toUtf8(line);
  sendBytes(bytes);
  free(bytes);
}

bool sendBytes(const char *line) {
  if (!isLockMade) return false;
  EnterCriticalSection(&lock);
  bool isSent = standing != NULL && writeLine(standing, line);
  LeaveCriticalSection(&lock);
  return isSent;
}
