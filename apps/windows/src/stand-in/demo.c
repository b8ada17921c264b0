#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "link.h"
#include "socket-lines.h"

#define ANSWER_MS 10000

typedef struct {
  HWND receiver;
  DemoForm *form;
} Request;

static void addMember(Text *text, const wchar_t *key, const wchar_t *value) {
  addFormat(text, L",\"%ls\":", key);
  addJsonText(text, value);
}

static void readAnswer(DemoForm *form, const char *line) {
  wchar_t type[32];
  wcscpy(form->error, L"no_connection");
  if (line == NULL) return;
  readJsonText(findMember(line, "type"), type, 32);
  wcscpy(form->error, wcscmp(type, L"unknown_server") == 0 ? L"unknown_server" : L"refused");
  if (wcscmp(type, L"demo") != 0) return;
  form->error[0] = 0;
  readJsonText(findMember(line, "login"), form->login, 64);
  readJsonText(findMember(line, "password"), form->password, 128);
}

/** Asks over a connection of its own, as a real terminal does beside the account that is logged in. */
static DWORD WINAPI askForAccount(void *parameter) {
  Request *request = parameter;
  DemoForm *form = request->form;
  char host[256];
  char port[16];
  Text text = {0};
  Lines *lines = findServer(form->server, host, port) ? openLines(host, port, ANSWER_MS) : NULL;
  addText(&text, L"{\"type\":\"open_demo\"");
  addMember(&text, L"server", form->server);
  addMember(&text, L"name", form->name);
  addMember(&text, L"email", form->email);
  addMember(&text, L"currency", form->currency);
  addFormat(&text, L",\"balance\":%.2f,\"leverage\":%d}\n", form->balance, form->leverage);
  char *bytes = toUtf8(text.chars);
  readAnswer(form, lines != NULL && writeLine(lines, bytes) ? readLine(lines, ANSWER_MS) : NULL);
  closeLines(lines);
  free(bytes);
  freeText(&text);
  PostMessageW(request->receiver, WM_DEMO, 0, (LPARAM)form);
  free(request);
  return 0;
}

void openDemo(HWND receiver, DemoForm *form) {
  Request *request = calloc(1, sizeof *request);
  if (request == NULL) ExitProcess(1);
  request->receiver = receiver;
  request->form = form;
  CloseHandle(CreateThread(NULL, 0, askForAccount, request, 0, NULL));
}
