#ifndef BERTH_SOCKET_LINES_H
#define BERTH_SOCKET_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_SERVER_LINE (1024 * 1024)

/** A TCP connection that is read line by line. */
typedef struct {
  unsigned long long socket;
  char *bytes;
  size_t length;
  size_t taken;
  bool isEnded;
} Lines;

/** NULL where nobody answers in time. */
Lines *openLines(const char *host, const char *port, int patienceMs);
/** The next line without its end, valid until the next call; NULL where none came in time, or the connection ended. */
const char *readLine(Lines *lines, int patienceMs);
bool writeLine(Lines *lines, const char *line);
void closeLines(Lines *lines);

#endif
