#ifndef BERTH_ATTACKS_H
#define BERTH_ATTACKS_H

#include <stdbool.h>
#include <stddef.h>

/** What an attack tried and got: one flat JSON object on a line of its own. */
void beginLine(const char *attack);
void sayText(const char *key, const char *text);
/** Arbitrary bytes: anything but printable ASCII becomes a dot. */
void sayBytes(const char *key, const char *bytes, size_t count);
void sayNumber(const char *key, long long number);
void sayBool(const char *key, bool value);
void endLine(void);

/** Each takes the arguments after the attack's name. */
typedef void (*Attack)(int count, char **arguments);

/** Files: through Windows and through the kernel. */
void attackRead(int count, char **arguments);
void attackRawRead(int count, char **arguments);
void attackRawList(int count, char **arguments);
void attackWrite(int count, char **arguments);
void attackRawWrite(int count, char **arguments);
void attackLink(int count, char **arguments);
void attackFifo(int count, char **arguments);

/** Other processes, and what this one was given. */
void attackIdentity(int count, char **arguments);
void attackProcesses(int count, char **arguments);
void attackDescriptors(int count, char **arguments);
void attackKill(int count, char **arguments);
void attackKillAll(int count, char **arguments);

/** The network. */
void attackConnect(int count, char **arguments);
void attackRawConnect(int count, char **arguments);
void attackUnixSocket(int count, char **arguments);

/** The kernel. */
void attackSystemCalls(int count, char **arguments);
void attackNarrowCalls(int count, char **arguments);

/** More than its share of resources. */
void attackFork(int count, char **arguments);
void attackMemory(int count, char **arguments);
void attackDisk(int count, char **arguments);
void attackSpin(int count, char **arguments);
void attackSleep(int count, char **arguments);

#endif
