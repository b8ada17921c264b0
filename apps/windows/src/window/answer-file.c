#include "answer-file.h"

#include <string.h>

#include "messages.h"
#include "operations.h"

#define MAX_REQUEST_BYTES (256 * 1024)
#define MAX_PATH_TEXT 1024

static const struct {
  const wchar_t *name;
  Operation run;
} operations[] = {
    {L"windows", listWindows},         {L"controls", listControls}, {L"set", setText},         {L"check", checkButton},
    {L"select", selectItem},           {L"press", pressControl},    {L"command", sendCommand}, {L"key", pressKeys},
    {L"close", closeWindow},           {L"resize", resizeWindow},   {L"edit", editItem},       {L"activate", activateControl},
    {L"clipboard", readClipboard},
};

static Refusal runOperation(const Request *request, Answer *answer) {
  const wchar_t *name = findTextField(request, "op");
  if (name == NULL) return REFUSE("invalid_request", L"A request needs the member \"op\".");
  for (size_t index = 0; index < sizeof operations / sizeof operations[0]; index++) {
    if (wcscmp(operations[index].name, name) == 0) return operations[index].run(request, answer);
  }
  return REFUSE("unknown_operation", L"There is no such operation; this program may be older than its caller.");
}

static void putRefusal(Answer *answer, Refusal refusal) {
  wchar_t error[32];
  MultiByteToWideChar(CP_UTF8, 0, refusal.error, -1, error, 32);
  putOpening(answer, '{');
  putBoolMember(answer, "ok", false);
  putTextMember(answer, "error", error);
  putTextMember(answer, "message", refusal.message);
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
    returnTo(answer, start);
    putRefusal(answer, refusal);
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

/** The whole request file. False where it cannot be read or is too long. */
static bool readRequestFile(const wchar_t *path, char *text, size_t *length) {
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD count = 0;
  bool isRead = ReadFile(file, text, MAX_REQUEST_BYTES + 1, &count, NULL) && count <= MAX_REQUEST_BYTES;
  CloseHandle(file);
  *length = count;
  return isRead;
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

bool answerRequestFile(const wchar_t *request, const wchar_t *answerPath) {
  static char text[MAX_REQUEST_BYTES + 1];
  static char bytes[MAX_ANSWER_BYTES];
  Answer answer = {bytes, 0, false};
  size_t length = 0;
  if (!readRequestFile(request, text, &length)) return false;
  beginRun();
  answerLines(text, length, &answer);
  return writeAnswerFile(answerPath, &answer);
}
