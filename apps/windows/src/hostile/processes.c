#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attacks.h"
#include "raw-calls.h"

#define MAX_PID 65536
#define SIGKILL 9
#define F_GETFD 1
#define MAX_DESCRIPTOR 1024

/** A line of a status file, after its name. */
static void sayStatus(const char *status, const char *name, const char *key) {
  char value[64] = "";
  const char *found = strstr(status, name);
  if (found != NULL) sscanf(found + strlen(name), "%*[ \t]%63[^\n]", value);
  sayText(key, value);
}

void attackIdentity(int count, char **arguments) {
  char status[8192] = "";
  (void)count, (void)arguments;
  Word size = rawReadFile("/proc/self/status", status, sizeof status - 1);
  if (size >= 0) status[size] = 0;
  beginLine("identity");
  sayNumber("uid", RAW(CALL_GETUID, 0, 0, 0));
  sayNumber("gid", RAW(CALL_GETGID, 0, 0, 0));
  sayNumber("pid", RAW(CALL_GETPID, 0, 0, 0));
  sayStatus(status, "\nGroups:", "groups");
  sayStatus(status, "\nCapEff:", "capabilities");
  sayStatus(status, "\nCapBnd:", "bounding");
  sayStatus(status, "\nNoNewPrivs:", "no_new_privileges");
  sayStatus(status, "\nSeccomp:", "seccomp");
  endLine();
}

/**
 * Looks for every process by its number: a hidden /proc entry is found as well. Collects names, and readable
 * environments.
 */
void attackProcesses(int count, char **arguments) {
  static char names[16384];
  static char variables[32768];
  static char environment[4096];
  size_t length = 0;
  size_t used = 0;
  int seen = 0;
  int opened = 0;
  (void)count, (void)arguments;
  for (int pid = 1; pid < MAX_PID; pid++) {
    char path[64];
    char name[64];
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    Word size = rawReadFile(path, name, sizeof name - 1);
    if (size < 1) continue;
    seen++;
    name[size - 1] = 0;
    if (length + (size_t)size + 16 < sizeof names) length += (size_t)sprintf(names + length, "%d:%s ", pid, name);
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    size = rawReadFile(path, environment, sizeof environment);
    if (size < 0) continue;
    opened++;
    if (used + (size_t)size < sizeof variables) {
      memcpy(variables + used, environment, (size_t)size);
      used += (size_t)size;
    }
  }
  beginLine("processes");
  sayNumber("seen", seen);
  sayNumber("environments", opened);
  sayBytes("names", names, length);
  sayBytes("variables", variables, used);
  endLine();
}

/** The descriptors of this process, and their targets. Wine's own are among them. */
void attackDescriptors(int count, char **arguments) {
  static char targets[32768];
  size_t length = 0;
  int open = 0;
  (void)count, (void)arguments;
  for (int number = 0; number < MAX_DESCRIPTOR; number++) {
    char path[64];
    char target[512];
    if (RAW(CALL_FCNTL, number, F_GETFD, 0) < 0) continue;
    open++;
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    Word size = RAW(CALL_READLINK, path, target, sizeof target - 1);
    target[size < 0 ? 0 : size] = 0;
    if (length + strlen(target) + 16 > sizeof targets) continue;
    length += (size_t)sprintf(targets + length, "%d:%s ", number, target);
  }
  beginLine("descriptors");
  sayNumber("open", open);
  sayBytes("targets", targets, length);
  endLine();
}

void attackKill(int count, char **arguments) {
  (void)count;
  Word result = RAW(CALL_KILL, atoi(arguments[0]), SIGKILL, 0);
  beginLine("kill");
  sayBool("got", result == 0);
  sayNumber("result", result);
  endLine();
}

/** Kills everything it can except itself. */
void attackKillAll(int count, char **arguments) {
  (void)count, (void)arguments;
  beginLine("kill-all");
  endLine();
  Word result = RAW(CALL_KILL, -1, SIGKILL, 0);
  beginLine("kill-all");
  sayNumber("result", result);
  endLine();
}
