#include <winsock2.h>
#include <ws2tcpip.h>
#include <stdlib.h>
#include <string.h>

#include "attacks.h"
#include "raw-calls.h"

#define PATIENCE_MS 3000
#define UNIX_NONBLOCKING_STREAM (1 | 2048)
#define IN_PROGRESS (-115)
#define ERROR_OPTION 4

static void sayResult(const char *address, const char *port, Word result) {
  sayText("address", address);
  if (port != NULL) sayText("port", port);
  sayBool("got", result == 0);
  sayNumber("result", result);
  endLine();
}

static Word connectByWindows(const char *host, const char *port) {
  WSADATA data;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  u_long on = 1;
  WSAStartup(MAKEWORD(2, 2), &data);
  int error = getaddrinfo(host, port, &hints, &found);
  if (error != 0) return -(Word)error;
  SOCKET socketHandle = socket(found->ai_family, SOCK_STREAM, IPPROTO_TCP);
  ioctlsocket(socketHandle, FIONBIO, &on);
  connect(socketHandle, found->ai_addr, (int)found->ai_addrlen);
  fd_set writable, failed;
  struct timeval patience = {PATIENCE_MS / 1000, 0};
  FD_ZERO(&writable);
  FD_ZERO(&failed);
  FD_SET(socketHandle, &writable);
  FD_SET(socketHandle, &failed);
  int ready = select(0, NULL, &writable, &failed, &patience);
  if (ready <= 0) return -WSAETIMEDOUT;
  if (FD_ISSET(socketHandle, &writable)) return 0;
  int size = sizeof error;
  getsockopt(socketHandle, SOL_SOCKET, SO_ERROR, (char *)&error, &size);
  return error == 0 ? -WSAECONNREFUSED : -(Word)error;
}

void attackConnect(int count, char **arguments) {
  (void)count;
  Word result = connectByWindows(arguments[0], arguments[1]);
  beginLine("connect");
  sayResult(arguments[0], arguments[1], result);
}

/** Waits for a connection under way: poll for writing, then the socket's own error. */
static Word finishConnecting(Word descriptor) {
  struct {
    int descriptor;
    short events;
    short happened;
  } poll = {(int)descriptor, 4, 0};
  int error = 0;
  unsigned size = sizeof error;
  if (RAW(CALL_POLL, &poll, 1, PATIENCE_MS) <= 0) return -110;
  Word result = rawCall(CALL_GETSOCKOPT, descriptor, 1, ERROR_OPTION, (Word)&error, (Word)&size, 0);
  return result < 0 ? result : -(Word)error;
}

void attackRawConnect(int count, char **arguments) {
  struct {
    unsigned short family;
    unsigned short port;
    unsigned address;
    char rest[8];
  } address = {2, htons((unsigned short)atoi(arguments[1])), inet_addr(arguments[0]), {0}};
  (void)count;
  Word result = RAW(CALL_SOCKET, 2, UNIX_NONBLOCKING_STREAM, 0);
  if (result >= 0) {
    Word descriptor = result;
    result = RAW(CALL_CONNECT, descriptor, &address, sizeof address);
    if (result == IN_PROGRESS) result = finishConnecting(descriptor);
  }
  beginLine("raw-connect");
  sayResult(arguments[0], arguments[1], result);
}

/** A socket of the file system, or with @ before it an abstract one, as a screen has. */
void attackUnixSocket(int count, char **arguments) {
  struct {
    unsigned short family;
    char path[108];
  } address = {1, {0}};
  const char *name = arguments[0];
  size_t length = strlen(name) < sizeof address.path ? strlen(name) : sizeof address.path;
  (void)count;
  memcpy(address.path, name, length);
  if (name[0] == '@') address.path[0] = 0;
  Word result = RAW(CALL_SOCKET, 1, UNIX_NONBLOCKING_STREAM, 0);
  if (result >= 0) result = RAW(CALL_CONNECT, result, &address, 2 + length + (name[0] != '@'));
  beginLine("unix-socket");
  sayResult(name, NULL, result);
}
