#include <stddef.h>
#include <string.h>
#include <windows.h>

#include "attacks.h"
#include "raw-calls.h"

#define NEW_USER 0x10000000
#define NEW_MOUNTS 0x00020000
#define NEW_X32 0x40000000
#define ODD_PERSONALITY 0x0008
#define NO_SUCH_CALL -38

/** Calls that a terminal never needs and an escape may: each is made in a way that succeeds unless it is forbidden. */
static const struct {
  const char *name;
  Word number;
  Word arguments[5];
} calls[] = {
    {"mount", 165, {(Word) "none", (Word) "/tmp", (Word) "tmpfs"}},
    {"umount2", 166, {(Word) "/tmp"}},
    {"pivot_root", 155, {(Word) "/tmp", (Word) "/tmp"}},
    {"chroot", 161, {(Word) "/tmp"}},
    {"unshare_user", 272, {NEW_USER}},
    {"unshare_mounts", 272, {NEW_MOUNTS}},
    {"setns", 308, {0, 0}},
    {"bpf", 321, {0, 0, 0}},
    {"perf_event_open", 298, {0, 0, -1, -1}},
    {"keyctl", 250, {0, -3, 1}},
    {"add_key", 248, {(Word) "user", (Word) "berth", (Word) "x", 1, -3}},
    {"request_key", 249, {(Word) "user", (Word) "berth", 0, -3}},
    {"userfaultfd", 323, {1}},
    {"io_uring_setup", 425, {1, 0}},
    {"kexec_load", 246, {0, 0, 0, 0}},
    {"init_module", 175, {0, 0, (Word) ""}},
    {"delete_module", 176, {(Word) "berth", 0}},
    {"open_by_handle_at", 304, {-1, 0, 0}},
    {"process_vm_readv", 310, {1, 0, 0, 0, 0}},
    {"swapon", 167, {(Word) "/tmp", 0}},
    {"reboot", 169, {0, 0, 0}},
    {"settimeofday", 164, {0, 0}},
    {"personality", 135, {ODD_PERSONALITY}},
    {"open_tree", 428, {-100, (Word) "/", 1}},
    {"fsopen", 430, {(Word) "tmpfs", 0}},
    {"move_mount", 429, {-1, (Word) "", -1, (Word) ""}},
    {"mount_setattr", 442, {-100, (Word) "/", 0, 0, 0}},
    {"clone_user", 56, {NEW_USER | 17, 0, 0, 0, 0}},
    {"acct", 163, {0}},
    {"quotactl", 179, {0, 0, 0, 0}},
    {"x32_getpid", NEW_X32 | CALL_GETPID, {0}},
};

/** What the kernel answered to each call: 0 and more is a success, -1 is EPERM, -38 is ENOSYS. */
void attackSystemCalls(int count, char **arguments) {
  (void)count, (void)arguments;
  beginLine("system-calls");
  for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
    const Word *given = calls[index].arguments;
    Word result = rawCall(calls[index].number, given[0], given[1], given[2], given[3], given[4], 0);
    /* A clone that succeeded returns in the child as well, which must not go on with our list. */
    if (calls[index].number == 56 && result == 0) rawCall(CALL_EXIT, 0, 0, 0, 0, 0, 0);
    sayNumber(calls[index].name, result);
  }
  endLine();
}

/** A kernel without 32-bit programs raises an exception for their calls: that counts as an unknown call. */
static LONG CALLBACK passClosedGate(EXCEPTION_POINTERS *exception) {
  static const unsigned char gate[] = {0xcd, 0x80};
  CONTEXT *context = exception->ContextRecord;
  if (memcmp((const void *)context->Rip, gate, sizeof gate) != 0) return EXCEPTION_CONTINUE_SEARCH;
  context->Rip += sizeof gate;
  context->Rax = (DWORD64)NO_SUCH_CALL;
  return EXCEPTION_CONTINUE_EXECUTION;
}

/** Through the 32-bit entry, which a filter for 64 bit alone does not cover. */
void attackNarrowCalls(int count, char **arguments) {
  static const struct {
    const char *name;
    Word number;
    Word first;
  } narrow[] = {{"getpid", 20, 0},      {"unshare_user", 310, NEW_USER}, {"setns", 346, 0},      {"bpf", 357, 0},
                {"keyctl", 288, 0},     {"userfaultfd", 374, 1},         {"perf_event_open", 336, 0},
                {"mount", 21, 0},       {"io_uring_setup", 425, 1},      {"personality", 136, ODD_PERSONALITY}};
  (void)count, (void)arguments;
  AddVectoredExceptionHandler(1, passClosedGate);
  beginLine("narrow-calls");
  for (size_t index = 0; index < sizeof narrow / sizeof narrow[0]; index++) {
    sayNumber(narrow[index].name, rawNarrowCall(narrow[index].number, narrow[index].first, 0, 0));
  }
  endLine();
}
