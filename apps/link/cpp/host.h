/**
 * What a program that stands in for MetaTrader gives to the link program, which is compiled as C++: docs/platforms/link.md.
 * Texts are UTF-8. Those that the host returns are given back to it by `release`.
 */
#ifndef BERTH_LINK_HOST_H
#define BERTH_LINK_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  /** The folder MQL5\Files. */
  const char *files;
  /** {"terminal": {...}, "account": {...} or null, "symbols": [...], "charts": [...]}: what the terminal knows now. */
  char *(*look)(void);
  /** The deals after a ticket, "" for all: {"deals": [...], "is_complete": ...}; NULL where nobody answers. */
  char *(*listDeals)(const char *after);
  /** Carries out {"action": ...}, in the words of the sandbox's broker; NULL where nobody answers. */
  char *(*trade)(const char *request);
  void (*release)(char *text);
  int (*isStopped)(void);
  void (*sleep)(int ms);
  void (*print)(const char *text);
  /** Unix milliseconds. */
  long long (*nowMs)(void);
  /** Milliseconds of a clock that only goes on. */
  long long (*steadyMs)(void);
  /** Each step of a file, for tests; may be NULL. */
  void (*trace)(const char *step);
  /** "save <id> <template>" or "close <id>": what becomes of a chart; may be NULL. */
  void (*changeChart)(const char *what);
} LinkHost;

/** Runs the program until the host says that it is stopped. The name of the function in a compiled program. */
typedef int (*RunLink)(const LinkHost *host);
#define RUN_LINK "runLink"

#ifdef __cplusplus
}
#endif

#endif
