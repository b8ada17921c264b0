#include <stdlib.h>
#include <windows.h>

#include "attacks.h"
#include "raw-calls.h"

#define MEGABYTE (1024 * 1024)

static void rawSleep(Word seconds) {
  Word time[2] = {seconds, 0};
  RAW(CALL_NANOSLEEP, time, 0, 0);
}

/** As many processes as possible, which only wait. They end by themselves. */
void attackFork(int count, char **arguments) {
  int wanted = atoi(arguments[0]);
  Word seconds = atoi(arguments[1]);
  Word result = 0;
  int made = 0;
  (void)count;
  while (made < wanted) {
    result = RAW(CALL_FORK, 0, 0, 0);
    if (result == 0) {
      rawSleep(seconds);
      RAW(CALL_EXIT, 0, 0, 0);
    }
    if (result < 0) break;
    made++;
  }
  beginLine("fork");
  sayNumber("made", made);
  sayNumber("result", result < 0 ? result : 0);
  endLine();
}

/** Memory that is really used. One line per 64 MB, because the last one may never be written. */
void attackMemory(int count, char **arguments) {
  int wanted = atoi(arguments[0]);
  int got = 0;
  (void)count;
  while (got < wanted) {
    char *piece = VirtualAlloc(NULL, MEGABYTE, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (piece == NULL) break;
    for (size_t at = 0; at < MEGABYTE; at += 4096) piece[at] = 1;
    if (++got % 64 != 0 && got != wanted) continue;
    beginLine("memory");
    sayNumber("megabytes", got);
    endLine();
  }
  beginLine("memory");
  sayNumber("megabytes", got);
  sayBool("done", true);
  endLine();
  Sleep((DWORD)atoi(arguments[1]) * 1000);
}

void attackDisk(int count, char **arguments) {
  static char piece[MEGABYTE];
  DWORD written = 0;
  int wanted = atoi(arguments[1]);
  int got = 0;
  (void)count;
  HANDLE file = CreateFileA(arguments[0], GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS, 0, NULL);
  for (size_t at = 0; at < MEGABYTE; at++) piece[at] = (char)(at * 31);
  while (got < wanted && WriteFile(file, piece, MEGABYTE, &written, NULL) && written == MEGABYTE) got++;
  DWORD error = GetLastError();
  beginLine("disk");
  sayNumber("megabytes", got);
  sayNumber("error", got < wanted ? (long long)error : 0);
  endLine();
}

static DWORD WINAPI spin(void *endsAt) {
  volatile unsigned turns = 0;
  while (GetTickCount64() < *(ULONGLONG *)endsAt) turns = turns + 1;
  return 0;
}

void attackSpin(int count, char **arguments) {
  int threads = atoi(arguments[0]);
  ULONGLONG endsAt = GetTickCount64() + (ULONGLONG)atoi(arguments[1]) * 1000;
  (void)count;
  beginLine("spin");
  sayNumber("threads", threads);
  endLine();
  for (int index = 1; index < threads; index++) CreateThread(NULL, 0, spin, &endsAt, 0, NULL);
  spin(&endsAt);
}

void attackSleep(int count, char **arguments) {
  (void)count;
  beginLine("sleep");
  sayNumber("pid", RAW(CALL_GETPID, 0, 0, 0));
  endLine();
  Sleep((DWORD)atoi(arguments[0]) * 1000);
}
