/**
 * A test program that takes the place of the agent, or of a terminal without a window: it writes the arguments it was
 * started with to the file that BERTH_PROBE names, if any, and exits with the number after `end`, or politely with 0
 * after Ctrl+C.
 */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

static volatile LONG isAsked;

static BOOL WINAPI takeWish(DWORD event) {
  (void)event;
  InterlockedExchange(&isAsked, 1);
  return TRUE;
}

static void say(const wchar_t *text) {
  char bytes[4096];
  int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, NULL, NULL);
  if (count > 1) fwrite(bytes, 1, (size_t)count - 1, stdout);
  fputc('\n', stdout);
  fflush(stdout);
}

int wmain(int count, wchar_t **arguments) {
  const wchar_t *path = _wgetenv(L"BERTH_PROBE");
  SetConsoleCtrlHandler(takeWish, TRUE);
  if (path != NULL) _wfreopen(path, L"w", stdout);
  for (int index = 1; index < count; index++) say(arguments[index]);
  say(L"started");
  if (count == 3 && wcscmp(arguments[1], L"end") == 0) return (int)wcstol(arguments[2], NULL, 10);
  while (!isAsked) Sleep(20);
  say(L"ended politely");
  return 0;
}
