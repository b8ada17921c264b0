#include <string.h>
#include <windows.h>

#include "attacks.h"
#include "raw-calls.h"

#define SAMPLE 256
#define SHARING (FILE_SHARE_READ | FILE_SHARE_WRITE)
#define ENTRIES (32 * 1024)
#define RAW_WRITE_FLAGS 0x441 /* O_WRONLY | O_CREAT | O_APPEND */
#define FIFO_MODE 0010644

static void sayResult(const char *path, Word result, const char *bytes) {
  sayText("path", path);
  sayBool("got", result >= 0);
  sayNumber("result", result);
  if (bytes != NULL && result > 0) sayBytes("sample", bytes, (size_t)result);
  endLine();
}

void attackRead(int count, char **arguments) {
  char bytes[SAMPLE];
  DWORD read = 0;
  (void)count;
  HANDLE file = CreateFileA(arguments[0], GENERIC_READ, SHARING, NULL, OPEN_EXISTING, 0, NULL);
  bool isRead = file != INVALID_HANDLE_VALUE && ReadFile(file, bytes, SAMPLE, &read, NULL);
  DWORD error = GetLastError();
  beginLine("read");
  sayResult(arguments[0], isRead ? (Word)read : -(Word)error, bytes);
}

void attackRawRead(int count, char **arguments) {
  char bytes[SAMPLE];
  (void)count;
  Word result = rawReadFile(arguments[0], bytes, SAMPLE);
  beginLine("raw-read");
  sayResult(arguments[0], result, bytes);
}

/** Names of a folder's entries, without the dots, separated by spaces. */
static size_t joinNames(const char *entries, Word size, char *names, size_t max) {
  size_t length = 0;
  for (Word at = 0; at < size;) {
    unsigned short record;
    memcpy(&record, entries + at + 16, 2);
    const char *name = entries + at + 19;
    size_t count = strlen(name);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && length + count + 1 < max) {
      memcpy(names + length, name, count);
      length += count;
      names[length++] = ' ';
    }
    at += record;
  }
  return length > 0 ? length - 1 : 0;
}

void attackRawList(int count, char **arguments) {
  static char entries[ENTRIES];
  static char names[ENTRIES];
  (void)count;
  Word folder = RAW(CALL_OPEN, arguments[0], 0x10000, 0);
  Word size = folder < 0 ? folder : RAW(CALL_GETDENTS64, folder, entries, ENTRIES);
  size_t length = size > 0 ? joinNames(entries, size, names, ENTRIES) : 0;
  beginLine("raw-list");
  sayBytes("names", names, length);
  sayResult(arguments[0], size, NULL);
}

void attackWrite(int count, char **arguments) {
  DWORD written = 0;
  (void)count;
  HANDLE file = CreateFileA(arguments[0], FILE_APPEND_DATA, SHARING, NULL, OPEN_ALWAYS, 0, NULL);
  bool isWritten = file != INVALID_HANDLE_VALUE && WriteFile(file, "hostile\n", 8, &written, NULL);
  DWORD error = GetLastError();
  beginLine("write");
  sayResult(arguments[0], isWritten ? (Word)written : -(Word)error, NULL);
}

void attackRawWrite(int count, char **arguments) {
  (void)count;
  Word file = RAW(CALL_OPEN, arguments[0], RAW_WRITE_FLAGS, 0644);
  Word result = file < 0 ? file : RAW(CALL_WRITE, file, "hostile\n", 8);
  beginLine("raw-write");
  sayResult(arguments[0], result, NULL);
}

void attackLink(int count, char **arguments) {
  (void)count;
  Word result = RAW(CALL_SYMLINK, arguments[1], arguments[0], 0);
  beginLine("link");
  sayResult(arguments[0], result, NULL);
}

void attackFifo(int count, char **arguments) {
  (void)count;
  Word result = RAW(CALL_MKNOD, arguments[0], FIFO_MODE, 0);
  beginLine("fifo");
  sayResult(arguments[0], result, NULL);
}
