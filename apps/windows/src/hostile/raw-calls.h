#ifndef BERTH_RAW_CALLS_H
#define BERTH_RAW_CALLS_H

/** As wide as a register of Linux: Windows' own long has 32 bits. */
typedef long long Word;

/**
 * Linux system calls from a Windows program, bypassing Wine: nothing in Wine can stop hostile code that does the same.
 * Each returns the kernel's answer: a negative number is an errno.
 */
Word rawCall(Word number, Word a, Word b, Word c, Word d, Word e, Word f);
/** The same through the 32-bit entry, which has its own numbers; no pointers. */
Word rawNarrowCall(Word number, Word a, Word b, Word c);

/** Numbers of x86_64. */
enum {
  CALL_READ = 0,
  CALL_WRITE = 1,
  CALL_OPEN = 2,
  CALL_CLOSE = 3,
  CALL_POLL = 7,
  CALL_NANOSLEEP = 35,
  CALL_GETPID = 39,
  CALL_SOCKET = 41,
  CALL_CONNECT = 42,
  CALL_GETSOCKOPT = 55,
  CALL_FORK = 57,
  CALL_EXIT = 60,
  CALL_KILL = 62,
  CALL_FCNTL = 72,
  CALL_SYMLINK = 88,
  CALL_READLINK = 89,
  CALL_GETUID = 102,
  CALL_GETGID = 104,
  CALL_MKNOD = 133,
  CALL_GETDENTS64 = 217,
};

#define RAW(number, a, b, c) rawCall(number, (Word)(a), (Word)(b), (Word)(c), 0, 0, 0)

/** Reads a file of the host, at most `size` bytes. Returns their number or a negative errno. */
Word rawReadFile(const char *path, char *bytes, Word size);

#endif
