/**
 * The filter of a box's system calls, in the kernel's format: a classic BPF program that checks each call's
 * architecture, number and (a few) arguments. It is small enough to be written by hand: `bwrap --seccomp` reads exactly
 * these bytes. The kernel runs it for every call and caches the numbers that are always allowed.
 */
import {
  absentCalls,
  ALLOWED_PERSONALITIES,
  ALLOWED_SOCKETS,
  CLONE,
  forbiddenCalls,
  FORBIDDEN_CONTROLS,
  IOCTL,
  LAST_KNOWN_CALL,
  NAMESPACE_FLAGS,
  PERSONALITY,
  SOCKET,
  type CallNumbers,
} from './seccomp-calls.ts';

/** One instruction: `struct sock_filter` of linux/filter.h. */
export interface Instruction {
  code: number;
  jumpIfTrue: number;
  jumpIfFalse: number;
  value: number;
}

// linux/bpf_common.h: load a word of the call; jump by comparison; end with a verdict.
export const LOAD = 0x20;
export const JUMP_IF_EQUAL = 0x15;
export const JUMP_IF_GREATER = 0x25;
export const JUMP_IF_SET = 0x45;
export const RETURN = 0x06;

// linux/seccomp.h: verdicts, and where `struct seccomp_data` has what is loaded. Arguments are 64 bits, low half first.
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0000;
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;

// linux/audit.h
export const X86_64 = 0xc000_003e;
export const I386 = 0x4000_0003;
/** Set in the numbers of x32, a third calling convention, which nothing here needs. */
const X32_BIT = 0x4000_0000;

// asm-generic/errno.h
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const load = (value: number): Instruction => ({ code: LOAD, jumpIfTrue: 0, jumpIfFalse: 0, value });
const end = (value: number): Instruction => ({ code: RETURN, jumpIfTrue: 0, jumpIfFalse: 0, value });
const refuse = (error: number): Instruction => end(REFUSE | error);
/** Runs the given instructions where the comparison holds; otherwise those after them. */
const when = (code: number, value: number, then: Instruction[]): Instruction[] => [
  { code, jumpIfTrue: 0, jumpIfFalse: then.length, value },
  ...then,
];
const loadArgument = (index: number): Instruction => load(ARGUMENTS + 8 * index);

/** Instructions that end with a verdict for the number of one call. */
const whenCalled = (numbers: CallNumbers, column: 0 | 1, then: Instruction[]): Instruction[] => {
  const number = numbers[column];
  return number === null ? [] : when(JUMP_IF_EQUAL, number, then);
};

const allowOnly = (argument: number, allowed: readonly number[], error: number): Instruction[] => [
  loadArgument(argument),
  ...allowed.flatMap((value) => when(JUMP_IF_EQUAL, value, [end(ALLOW)])),
  refuse(error),
];

/** The part for one architecture; the call's number is loaded. Its last instruction is a verdict. */
const toCallRules = (column: 0 | 1): Instruction[] => [
  ...(column === 0 ? when(JUMP_IF_SET, X32_BIT, [refuse(ENOSYS)]) : []),
  ...when(JUMP_IF_GREATER, LAST_KNOWN_CALL, [refuse(ENOSYS)]),
  ...Object.values(forbiddenCalls).flatMap((numbers) => whenCalled(numbers, column, [refuse(EPERM)])),
  ...Object.values(absentCalls).flatMap((numbers) => whenCalled(numbers, column, [refuse(ENOSYS)])),
  ...whenCalled(CLONE, column, [loadArgument(0), ...when(JUMP_IF_SET, NAMESPACE_FLAGS, [refuse(EPERM)]), end(ALLOW)]),
  ...whenCalled(PERSONALITY, column, allowOnly(0, ALLOWED_PERSONALITIES, EPERM)),
  ...whenCalled(SOCKET, column, allowOnly(0, ALLOWED_SOCKETS, EAFNOSUPPORT)),
  ...whenCalled(IOCTL, column, [
    loadArgument(1),
    ...FORBIDDEN_CONTROLS.flatMap((value) => when(JUMP_IF_EQUAL, value, [refuse(EPERM)])),
    end(ALLOW),
  ]),
  end(ALLOW),
];

/** Like `when`, for parts longer than the 255 instructions that a comparison can jump over. */
const whenFar = (value: number, then: Instruction[]): Instruction[] => [
  { code: JUMP_IF_EQUAL, jumpIfTrue: 1, jumpIfFalse: 0, value },
  { code: 0x05, jumpIfTrue: 0, jumpIfFalse: 0, value: then.length },
  ...then,
];

/**
 * The filter as instructions. Without 32-bit programs that whole architecture is refused, because its socket types
 * cannot be checked (`socketcall` has its arguments in memory).
 */
export const toFilterProgram = ({ allows32Bit }: { allows32Bit: boolean }): Instruction[] => [
  load(ARCHITECTURE),
  ...whenFar(X86_64, [load(NUMBER), ...toCallRules(0)]),
  ...(allows32Bit ? whenFar(I386, [load(NUMBER), ...toCallRules(1)]) : when(JUMP_IF_EQUAL, I386, [refuse(ENOSYS)])),
  end(KILL_PROCESS),
];

/** The filter as the bytes that `bwrap --seccomp` reads. Pure; little-endian, like x86. */
export const toFilterBytes = (options: { allows32Bit: boolean }): Buffer =>
  Buffer.concat(
    toFilterProgram(options).map(({ code, jumpIfTrue, jumpIfFalse, value }) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(jumpIfTrue, 2);
      bytes.writeUInt8(jumpIfFalse, 3);
      bytes.writeUInt32LE(value >>> 0, 4);
      return bytes;
    }),
  );
