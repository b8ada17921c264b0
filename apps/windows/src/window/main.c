/**
 * berth-window.exe <request file> <answer file>: looks at the windows of other programs and operates them by messages,
 * under Wine and on Windows. It does what the lines of the request file say, in order, up to the first that is
 * refused, and writes one line for each into the answer file, which appears as a whole. The protocol is written down in
 * docs/platforms/window-program.md.
 *
 * berth-window.exe stay: stays, and does the same for each pair of files that standard input names (stay.h).
 *
 * berth-window.exe serve <folder>: stays, and does the same for all requests that are put into the folder, as the session helper
 * of a Windows host (../session/session.h).
 *
 * Exit codes: 0 an answer was written, 1 none could be, 2 wrong arguments, 3 the folder is served already.
 */
#include <windows.h>
#include <shellapi.h>

#include "../session/session.h"
#include "answer-file.h"
#include "stay.h"

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, LPSTR commandLine, int show) {
  int count = 0;
  (void)instance, (void)previous, (void)commandLine, (void)show;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  if (arguments == NULL) return 2;
  if (count == 2 && wcscmp(arguments[1], L"stay") == 0) return stay();
  if (count != 3) return 2;
  if (wcscmp(arguments[1], L"serve") == 0) return serveSession(arguments[2]);
  return answerRequestFile(arguments[1], arguments[2]) ? 0 : 1;
}
