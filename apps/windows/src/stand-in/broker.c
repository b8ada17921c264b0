#include "broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "json.h"
#include "link.h"

#define ANSWER_MS 10000
#define MAX_RATES_BYTES 128

static CRITICAL_SECTION lock;
/** One question at a time: programs take turns. */
static CRITICAL_SECTION turn;
static HANDLE answered;
static volatile bool isFollowed;
static char *account;
static char *symbols;
static bool isCurrent;
static long long askedId;
static char *answer;

void openBroker(void) {
  InitializeCriticalSection(&lock);
  InitializeCriticalSection(&turn);
  answered = CreateEventW(NULL, FALSE, FALSE, NULL);
}

void followAccount(void) { isFollowed = true; }
bool isAccountFollowed(void) { return isFollowed; }

static void replaceText(char **to, char *text) {
  EnterCriticalSection(&lock);
  free(*to);
  *to = text;
  LeaveCriticalSection(&lock);
}

static char *copyText(char *const *from) {
  EnterCriticalSection(&lock);
  char *text = *from == NULL ? NULL : _strdup(*from);
  LeaveCriticalSection(&lock);
  return text;
}

/** Every symbol of the stand-in takes "immediate or cancel" alone, so that a program that asks for anything else fails. */
void takeBrokersWelcome(const char *line) {
  const char *list = findMember(line, "symbols");
  size_t size = 3, count = 0;
  for (const char *item = firstItem(list); item != NULL; item = nextItem(item)) size += 64 + MAX_RATES_BYTES;
  char *text = malloc(size);
  char *at = text + sprintf(text, "[");
  for (const char *item = firstItem(list); text != NULL && item != NULL; item = nextItem(item)) {
    const char *name = firstItem(item);
    const char *end = name == NULL ? NULL : strchr(name + 1, '"');
    if (name == NULL || *name != '"' || end == NULL || end - name > 64) continue;
    int digits = (int)readJsonNumber(nextItem(name), 5);
    at += sprintf(at, "%s{\"name\":%.*s,\"digits\":%d,\"trade_mode\":4,\"filling\":2}", count++ > 0 ? "," : "",
                  (int)(end - name + 1), name, digits);
  }
  sprintf(at, "]");
  replaceText(&symbols, text);
  replaceText(&account, NULL);
  isCurrent = false;
  if (isFollowed) sendBytes("{\"type\":\"follow_account\"}\n");
}

static bool isKindOf(const char *line, const char *kind) {
  const char *type = findMember(line, "type");
  return type != NULL && strncmp(type + 1, kind, strlen(kind)) == 0 && type[1 + strlen(kind)] == '"';
}

void takeBrokersLine(const char *line) {
  if (isKindOf(line, "account")) {
    replaceText(&account, _strdup(line));
    isCurrent = true;
    return;
  }
  if (!isKindOf(line, "traded") && !isKindOf(line, "deals")) return;
  EnterCriticalSection(&lock);
  bool isAwaited = askedId != 0 && (long long)readJsonNumber(findMember(line, "id"), -1) == askedId;
  if (isAwaited && answer == NULL) answer = _strdup(line);
  LeaveCriticalSection(&lock);
  if (isAwaited) SetEvent(answered);
}

void takeBrokersLoss(void) {
  isCurrent = false;
  SetEvent(answered);
}

char *copyAccount(void) { return copyText(&account); }
char *copySymbols(void) { return copyText(&symbols); }
bool isAccountCurrent(void) { return isCurrent; }

char *askBroker(const char *type, const char *rest) {
  static long long lastId = 100;
  char *found = NULL;
  size_t size = strlen(type) + strlen(rest) + 64;
  char *line = malloc(size);
  if (line == NULL) return NULL;
  EnterCriticalSection(&turn);
  EnterCriticalSection(&lock);
  askedId = ++lastId;
  LeaveCriticalSection(&lock);
  snprintf(line, size, "{\"type\":\"%s\",\"id\":%lld,%s}\n", type, askedId, rest);
  ResetEvent(answered);
  if (isCurrent && sendBytes(line)) WaitForSingleObject(answered, ANSWER_MS);
  EnterCriticalSection(&lock);
  found = answer;
  answer = NULL;
  askedId = 0;
  LeaveCriticalSection(&lock);
  LeaveCriticalSection(&turn);
  free(line);
  return found;
}
