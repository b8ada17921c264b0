#include <winsock2.h>
#include <ws2tcpip.h>

#include "terminal.h"

/** As builds of 2026 do: a server on the loopback, which is open unless config\\assistant.ini says otherwise. It lets nobody in. */
#define MCP_PORT 22346

static DWORD WINAPI answerAll(void *parameter) {
  static const char refusal[] = "HTTP/1.1 401 Unauthorized\r\nServer: BerthStandIn-MCP\r\nContent-Length: 0\r\n"
                                "Connection: close\r\n\r\n";
  SOCKET listener = (SOCKET)(ULONG_PTR)parameter;
  for (;;) {
    SOCKET caller = accept(listener, NULL, NULL);
    if (caller == INVALID_SOCKET) return 0;
    send(caller, refusal, sizeof refusal - 1, 0);
    closesocket(caller);
  }
}

static bool isClosed(void) {
  static Ini ini;
  wchar_t path[MAX_NAME];
  Text text = {0};
  joinPath(path, app.root, L"config\\assistant.ini");
  readTextFile(path, &text);
  parseIni(&ini, &text);
  freeText(&text);
  return !readFlag(findIni(&ini, L"MCP.MetaTrader", L"Enable"), true);
}

void openMcpServer(void) {
  WSADATA data;
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(MCP_PORT)};
  if (app.isMt4 || isClosed()) return;
  WSAStartup(MAKEWORD(2, 2), &data);
  SOCKET listener = socket(AF_INET, SOCK_STREAM, 0);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&place, sizeof place) != 0 || listen(listener, 16) != 0) {
    closesocket(listener);
    return;
  }
  CloseHandle(CreateThread(NULL, 0, answerAll, (void *)(ULONG_PTR)listener, 0, NULL));
  printJournal(0, L"MCP", L"MCP started on 127.0.0.1:%d", MCP_PORT);
}
