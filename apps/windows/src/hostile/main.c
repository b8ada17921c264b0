/**
 * hostile.exe [--to FILE] ATTACK [arguments]: what hostile code in a terminal's box would try. Every attack prints one
 * JSON line with what it got, to its output or to a file (a Windows path), to which it is appended. For tests only: it
 * really does what it says. What would harm the whole machine is refused outside of a box, with exit code 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "attacks.h"
#include "raw-calls.h"

#define MAX_LINE (64 * 1024)

static const struct {
  const char *name;
  Attack run;
  const char *arguments;
  /** Ends, fills or changes the machine unless it runs in a box. */
  bool needsBox;
} attacks[] = {
    {"read", attackRead, "WINDOWS-PATH", false},
    {"raw-read", attackRawRead, "UNIX-PATH", false},
    {"raw-list", attackRawList, "UNIX-PATH", false},
    {"write", attackWrite, "WINDOWS-PATH", false},
    {"raw-write", attackRawWrite, "UNIX-PATH", false},
    {"link", attackLink, "UNIX-PATH TARGET", false},
    {"fifo", attackFifo, "UNIX-PATH", false},
    {"identity", attackIdentity, "", false},
    {"processes", attackProcesses, "", false},
    {"descriptors", attackDescriptors, "", false},
    {"kill", attackKill, "PID", true},
    {"kill-all", attackKillAll, "", true},
    {"connect", attackConnect, "HOST PORT", false},
    {"raw-connect", attackRawConnect, "IPV4 PORT", false},
    {"unix-socket", attackUnixSocket, "UNIX-PATH or @ABSTRACT-NAME", false},
    {"system-calls", attackSystemCalls, "", true},
    {"narrow-calls", attackNarrowCalls, "", true},
    {"fork", attackFork, "COUNT SECONDS", true},
    {"memory", attackMemory, "MEGABYTES SECONDS", true},
    {"disk", attackDisk, "WINDOWS-PATH MEGABYTES", false},
    {"spin", attackSpin, "THREADS SECONDS", false},
    {"sleep", attackSleep, "SECONDS", false},
};

static char line[MAX_LINE];
static size_t length;
static const char *outputPath;

static void put(const char *text) {
  size_t count = strlen(text);
  if (length + count + 8 > MAX_LINE) return;
  memcpy(line + length, text, count);
  length += count;
}

static void putKey(const char *key) {
  if (length > 1) put(",");
  put("\"");
  put(key);
  put("\":");
}

void sayBytes(const char *key, const char *bytes, size_t count) {
  char one[2] = {0, 0};
  putKey(key);
  put("\"");
  for (size_t index = 0; index < count; index++) {
    char c = bytes[index];
    if (c == '"' || c == '\\') put("\\");
    one[0] = c >= 0x20 && c < 0x7f ? c : '.';
    put(one);
  }
  put("\"");
}

void sayText(const char *key, const char *text) { sayBytes(key, text, strlen(text)); }

void sayNumber(const char *key, long long number) {
  char digits[32];
  snprintf(digits, sizeof digits, "%lld", number);
  putKey(key);
  put(digits);
}

void sayBool(const char *key, bool value) {
  putKey(key);
  put(value ? "true" : "false");
}

void beginLine(const char *attack) {
  length = 0;
  put("{");
  sayText("attack", attack);
}

/** Written immediately and as a whole: the next thing that happens may be the end of this process. */
void endLine(void) {
  DWORD count = 0;
  put("}\n");
  DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE;
  HANDLE output = outputPath == NULL ? GetStdHandle(STD_OUTPUT_HANDLE)
                                     : CreateFileA(outputPath, FILE_APPEND_DATA, sharing, NULL, OPEN_ALWAYS, 0, NULL);
  WriteFile(output, line, (DWORD)length, &count, NULL);
  if (outputPath != NULL) CloseHandle(output);
}

/**
 * Whether this process is in a box: one has its own namespace of processes. The kernel gives the first one of the
 * machine this number, always (PROC_PID_INIT_INO). Where /proc cannot be read, it is taken for none.
 */
static bool isInBox(void) {
  char name[64] = "";
  Word size = RAW(CALL_READLINK, "/proc/self/ns/pid", name, sizeof name - 1);
  return size > 0 && strcmp(name, "pid:[4026531836]") != 0;
}

static int sayUsage(void) {
  fprintf(stderr, "hostile.exe [--to FILE] ATTACK [arguments]\n");
  for (size_t index = 0; index < sizeof attacks / sizeof attacks[0]; index++) {
    fprintf(stderr, "  %s %s\n", attacks[index].name, attacks[index].arguments);
  }
  return 2;
}

int main(int count, char **arguments) {
  int first = 1;
  if (count > 2 && strcmp(arguments[1], "--to") == 0) {
    outputPath = arguments[2];
    first = 3;
  }
  if (count <= first) return sayUsage();
  for (size_t index = 0; index < sizeof attacks / sizeof attacks[0]; index++) {
    if (strcmp(attacks[index].name, arguments[first]) != 0) continue;
    int needed = attacks[index].arguments[0] == 0 ? 0 : strchr(attacks[index].arguments, ' ') == NULL ? 1 : 2;
    if (attacks[index].run == attackUnixSocket) needed = 1;
    if (count - first - 1 < needed) return sayUsage();
    if (attacks[index].needsBox && !isInBox()) {
      beginLine(attacks[index].name);
      sayText("refused", "this is no box");
      endLine();
      return 3;
    }
    attacks[index].run(count - first - 1, arguments + first + 1);
    return 0;
  }
  return sayUsage();
}
