#ifndef BERTH_BROKER_H
#define BERTH_BROKER_H

#include <stdbool.h>

/**
 * What the trading server says of the account's money, for the programs of this terminal. The connection's thread brings
 * it, programs ask on threads of their own. Texts are JSON in UTF-8; the receiver of a text frees it.
 */

/** Before any of the others. */
void openBroker(void);
/** From now on each login asks for the account's state; without it nothing does. */
void followAccount(void);
bool isAccountFollowed(void);

/** Called by the connection: a login with its symbols, each line that may be about money, and the end. */
void takeBrokersWelcome(const char *line);
void takeBrokersLine(const char *line);
void takeBrokersLoss(void);

/** The last state of the account, NULL before the first; of an account that was logged in, it outlives the connection. */
char *copyAccount(void);
/** The symbols of the last login, as the link program's host tells them. */
char *copySymbols(void);
/** Whether a state has come on the connection that stands. */
bool isAccountCurrent(void);
/** Sends `{"type":…,"id":…,<rest>}` and waits for its answer; NULL where none comes. @param rest members with their commas */
char *askBroker(const char *type, const char *rest);

#endif
