#include "socket-lines.h"

#include <winsock2.h>
#include <ws2tcpip.h>
#include <stdlib.h>
#include <string.h>

static void startSockets(void) {
  static bool isStarted;
  WSADATA data;
  if (!isStarted) WSAStartup(MAKEWORD(2, 2), &data);
  isStarted = true;
}

static bool waitFor(SOCKET handle, bool isForWriting, int patienceMs) {
  fd_set ready, failed;
  struct timeval patience = {patienceMs / 1000, patienceMs % 1000 * 1000};
  FD_ZERO(&ready);
  FD_ZERO(&failed);
  FD_SET(handle, &ready);
  FD_SET(handle, &failed);
  int count = select(0, isForWriting ? NULL : &ready, isForWriting ? &ready : NULL, &failed, &patience);
  return count > 0 && FD_ISSET(handle, &ready);
}

Lines *openLines(const char *host, const char *port, int patienceMs) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  u_long on = 1;
  BOOL noDelay = TRUE;
  startSockets();
  if (getaddrinfo(host, port, &hints, &found) != 0) return NULL;
  SOCKET handle = socket(found->ai_family, SOCK_STREAM, IPPROTO_TCP);
  ioctlsocket(handle, FIONBIO, &on);
  connect(handle, found->ai_addr, (int)found->ai_addrlen);
  freeaddrinfo(found);
  if (!waitFor(handle, true, patienceMs)) {
    closesocket(handle);
    return NULL;
  }
  setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, (const char *)&noDelay, sizeof noDelay);
  Lines *lines = calloc(1, sizeof *lines);
  lines->socket = handle;
  lines->bytes = malloc(MAX_SERVER_LINE + 1);
  return lines;
}

/** Ends the first whole line in the buffer; NULL where there is none. */
static const char *takeLine(Lines *lines) {
  memmove(lines->bytes, lines->bytes + lines->taken, lines->length - lines->taken);
  lines->length -= lines->taken;
  lines->taken = 0;
  char *end = memchr(lines->bytes, '\n', lines->length);
  if (end == NULL) return NULL;
  *end = 0;
  lines->taken = (size_t)(end - lines->bytes) + 1;
  return lines->bytes;
}

const char *readLine(Lines *lines, int patienceMs) {
  for (;;) {
    const char *line = takeLine(lines);
    if (line != NULL) return line;
    if (lines->isEnded || !waitFor((SOCKET)lines->socket, false, patienceMs)) return NULL;
    int count = recv((SOCKET)lines->socket, lines->bytes + lines->length, (int)(MAX_SERVER_LINE - lines->length), 0);
    if (count <= 0) {
      lines->isEnded = true;
      return NULL;
    }
    lines->length += (size_t)count;
  }
}

bool writeLine(Lines *lines, const char *line) {
  size_t length = strlen(line);
  for (size_t sent = 0; sent < length;) {
    if (!waitFor((SOCKET)lines->socket, true, 10000)) return false;
    int count = send((SOCKET)lines->socket, line + sent, (int)(length - sent), 0);
    if (count <= 0) return false;
    sent += (size_t)count;
  }
  return true;
}

void closeLines(Lines *lines) {
  if (lines == NULL) return;
  closesocket((SOCKET)lines->socket);
  free(lines->bytes);
  free(lines);
}
