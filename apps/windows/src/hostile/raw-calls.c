#include "raw-calls.h"

Word rawCall(Word number, Word a, Word b, Word c, Word d, Word e, Word f) {
  Word result;
  register Word fourth __asm__("r10") = d;
  register Word fifth __asm__("r8") = e;
  register Word sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

Word rawNarrowCall(Word number, Word a, Word b, Word c) {
  Word result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c)
                   : "r8", "r9", "r10", "r11", "memory");
  return (int)result;
}

Word rawReadFile(const char *path, char *bytes, Word size) {
  Word file = RAW(CALL_OPEN, path, 0, 0);
  if (file < 0) return file;
  Word total = 0;
  while (total < size) {
    Word count = RAW(CALL_READ, file, bytes + total, size - total);
    if (count <= 0) {
      if (total == 0) total = count;
      break;
    }
    total += count;
  }
  RAW(CALL_CLOSE, file, 0, 0);
  return total;
}
