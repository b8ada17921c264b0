#ifndef BERTH_LINK_H
#define BERTH_LINK_H

#include "terminal.h"

typedef enum { LINK_WELCOME, LINK_REFUSED, LINK_NO_CONNECTION, LINK_LOST, LINK_TICKS, LINK_PING } LinkKind;

/** A message from a connection's thread to the window; its receiver frees it. */
typedef struct {
  LinkKind kind;
  double pingMs;
  /** The server's line, where there is one. */
  char *line;
} LinkEvent;

typedef struct {
  wchar_t server[128];
  wchar_t name[256];
  wchar_t email[256];
  double balance;
  int leverage;
  wchar_t currency[8];
  /** Filled in by the answer: `error` is empty where the account was opened. */
  wchar_t error[32];
  wchar_t login[64];
  wchar_t password[128];
} DemoForm;

/** Keeps a connection for the account; ends the one before. Its events carry the number that is returned. */
WPARAM connectAccount(const Credentials *credentials);
void endConnection(void);
/** Sends a line on the current connection; does nothing if there is none. */
void sendLine(const wchar_t *line);
/** The same for bytes. @returns whether they were sent */
bool sendBytes(const char *line);
/** Opens a demo account on a thread of its own; the form comes back with WM_DEMO and is the receiver's to free. */
void openDemo(HWND receiver, DemoForm *form);
/** Whether config\servers.txt, or the name itself, says where a server is. */
bool findServer(const wchar_t *server, char *host, char *port);

#endif
