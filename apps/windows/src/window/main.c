/**
 * berth-window.exe <request file> <answer file>: looks at the windows of other programs and operates them by messages,
 * under Wine and on Windows. It does what the lines of the request file say, in order, up to the first that is
 * refused, and writes one line for each into the answer file, which appears as a whole. docs/platforms/window-program.md
 * has the protocol.
 *
 * Exit codes: 0 an answer was written, 1 none could be, 2 wrong arguments.
 */
#include <windows.h>
#include <shellapi.h>
#include <string.h>

#include "messages.h"
#include "operations.h"

#define MAX_REQUEST_BYTES (256 * 1024)
#define MAX_PATH_TEXT 1024

static const struct {
  const wchar_t *name;
  Operation run;
} operations[] = {
    {L"windows", listWindows}, {L"controls", listControls}, {L"menu", listMenu},         {L"set", setText},
    {L"check", checkButton},   {L"select", selectItem},     {L"press", pressControl},    {L"command", sendCommand},
    {L"key", pressKeys},       {L"close", closeWindow},     {L"resize", resizeWindow},   {L"clipboard", readClipboard},
};

static Refusal runOperation(const Request *request, Answer *answer) {
  const wchar_t *name = findTextField(request, "op");
  if (name == NULL) return REFUSE("invalid_request", L"A request needs the member \"op\".");
  for (size_t index = 0; index < sizeof operations / sizeof operations[0]; index++) {
    if (wcscmp(operations[index].name, name) == 0) return operations[index].run(request, answer);
  }
  return REFUSE("unknown_operation", L"There is no such operation; this program may be older than its caller.");
}

/** Answers one line. False where it was refused: what follows it rests on it. */
static bool answerLine(const char *line, size_t length, Answer *answer) {
  static Request request;
  size_t start = placeOf(answer);
  putOpening(answer, '{');
  putBoolMember(answer, "ok", true);
  Refusal refusal = readRequest(line, length, &request)
                        ? runOperation(&request, answer)
                        : REFUSE("invalid_request", L"A request is one flat JSON object of texts and numbers.");
  if (refusal.error == NULL && (answer->isFull || placeOf(answer) > MAX_ANSWER_BYTES - RESERVED_BYTES / 2)) {
    refusal = REFUSE("failed", L"The answers are longer than 256 kB together; ask for less at once.");
  }
  if (refusal.error != NULL) {
    wchar_t error[32];
    returnTo(answer, start);
    MultiByteToWideChar(CP_UTF8, 0, refusal.error, -1, error, 32);
    putOpening(answer, '{');
    putBoolMember(answer, "ok", false);
    putTextMember(answer, "error", error);
    putTextMember(answer, "message", refusal.message);
  }
  putClosing(answer, '}');
  endLine(answer);
  return refusal.error == NULL;
}

static void answerLines(const char *text, size_t length, Answer *answer) {
  const char *end = text + length;
  for (const char *line = text; line < end;) {
    const char *lineEnd = memchr(line, '\n', (size_t)(end - line));
    if (lineEnd == NULL) lineEnd = end;
    size_t size = (size_t)(lineEnd - line);
    if (size > 0 && line[size - 1] == '\r') size--;
    if (size > 0 && !answerLine(line, size, answer)) return;
    line = lineEnd + 1;
  }
}

/** The whole request file; NULL where it cannot be read or is too long. */
static char *readRequestFile(const wchar_t *path, size_t *length) {
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return NULL;
  char *text = HeapAlloc(GetProcessHeap(), 0, MAX_REQUEST_BYTES + 1);
  DWORD count = 0;
  bool isRead = text != NULL && ReadFile(file, text, MAX_REQUEST_BYTES + 1, &count, NULL) && count <= MAX_REQUEST_BYTES;
  CloseHandle(file);
  *length = count;
  return isRead ? text : NULL;
}

/** Writes a draft beside the answer file and renames it, so that nobody reads half an answer. */
static bool writeAnswerFile(const wchar_t *path, const Answer *answer) {
  wchar_t draft[MAX_PATH_TEXT + 8];
  DWORD count = 0;
  if (wcslen(path) > MAX_PATH_TEXT) return false;
  wcscpy(draft, path);
  wcscat(draft, L".draft");
  HANDLE file = CreateFileW(draft, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  bool isWritten = WriteFile(file, answer->bytes, (DWORD)answer->length, &count, NULL) && count == answer->length;
  CloseHandle(file);
  return isWritten && MoveFileExW(draft, path, MOVEFILE_REPLACE_EXISTING);
}

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, LPSTR commandLine, int show) {
  static char bytes[MAX_ANSWER_BYTES];
  Answer answer = {bytes, 0, false};
  int count = 0;
  size_t length = 0;
  (void)instance, (void)previous, (void)commandLine, (void)show;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  if (arguments == NULL || count != 3) return 2;
  char *text = readRequestFile(arguments[1], &length);
  if (text == NULL) return 1;
  beginRun();
  answerLines(text, length, &answer);
  return writeAnswerFile(arguments[2], &answer) ? 0 : 1;
}
