/**
 * berth-window.exe <request file> <answer file>: looks at the windows of other programs and operates them by messages. It
 * does what the lines of the request file say, in order, up to the first that is refused, and writes one line for each
 * into the answer file, which appears as a whole. The protocol is written down in docs/platforms/window-program.md.
 *
 * berth-window.exe stay: stays, and does the same for each pair of files that standard input names (stay.h).
 *
 * Exit codes: 0 an answer was written, 1 none could be, 2 wrong arguments.
 */
#include <windows.h>
#include <shellapi.h>

#include "answer-file.h"
#include "stay.h"

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, LPSTR commandLine, int show) {
  int count = 0;
  (void)instance, (void)previous, (void)commandLine, (void)show;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  if (arguments == NULL) return 2;
  if (count == 2 && wcscmp(arguments[1], L"stay") == 0) return stay();
  if (count != 3) return 2;
  return answerRequestFile(arguments[1], arguments[2]) ? 0 : 1;
}
