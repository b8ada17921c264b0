import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  absentCalls,
  CLONE,
  forbiddenCalls,
  IOCTL,
  PERSONALITY,
  SOCKET,
} from '../src/launchers/wine/isolation/seccomp-calls.ts';
import {
  I386,
  JUMP_IF_EQUAL,
  JUMP_IF_GREATER,
  JUMP_IF_SET,
  LOAD,
  RETURN,
  toFilterBytes,
  toFilterProgram,
  X86_64,
} from '../src/launchers/wine/isolation/seccomp.ts';

const ALLOWED = 0x7fff_0000;
const KILLED = 0x8000_0000;
const refused = (error: number) => 0x0005_0000 + error;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** Runs the filter's bytes as the kernel does: on a call's number, architecture and arguments. */
const judge = (bytes: Buffer, architecture: number, number: number, ...values: number[]): number => {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture >>> 0, 4);
  values.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index));
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, yes, no] = [bytes.readUInt16LE(8 * at), bytes.readUInt8(8 * at + 2), bytes.readUInt8(8 * at + 3)];
    const value = bytes.readUInt32LE(8 * at + 4);
    if (code === LOAD) loaded = data.readUInt32LE(value);
    else if (code === RETURN) return value;
    else if (code === JUMP_IF_EQUAL) at += loaded === value ? yes : no;
    else if (code === JUMP_IF_GREATER) at += loaded > value ? yes : no;
    else if (code === JUMP_IF_SET) at += (loaded & value) !== 0 ? yes : no;
    else at += value;
  }
};

const plain = toFilterBytes({ allows32Bit: false });
const with32Bit = toFilterBytes({ allows32Bit: true });
const columns = [
  [X86_64, 0],
  [I386, 1],
] as const;

it('the filter of system calls refuses what leads out of a box, and says of newer forms that they are not there', () => {
  for (const [architecture, column] of columns) {
    for (const numbers of Object.values(forbiddenCalls)) {
      if (numbers[column] !== null) expect(judge(with32Bit, architecture, numbers[column])).toBe(refused(EPERM));
    }
    for (const numbers of Object.values(absentCalls)) {
      if (numbers[column] !== null) expect(judge(with32Bit, architecture, numbers[column])).toBe(refused(ENOSYS));
    }
  }
});

it('the filter of system calls lets programs read, write, start others and look into their own', () => {
  const [READ, OPENAT, EXECVE, PTRACE, PROCESS_VM_READV, FUTEX] = [0, 257, 59, 101, 310, 202];
  for (const number of [READ, OPENAT, EXECVE, PTRACE, PROCESS_VM_READV, FUTEX]) {
    expect(judge(plain, X86_64, number)).toBe(ALLOWED);
  }
  const [FORK_32, MODIFY_LDT_32] = [2, 123];
  expect([FORK_32, MODIFY_LDT_32].map((number) => judge(with32Bit, I386, number))).toEqual([ALLOWED, ALLOWED]);
});

it('the filter of system calls lets threads and processes be made, but no namespaces', () => {
  const [THREAD, NEW_USERS, NEW_NETWORK, NEW_MOUNTS] = [0x003d_0f00, 0x1000_0011, 0x4000_0011, 0x0002_0011];
  for (const [architecture, column] of columns) {
    const judgeClone = (flags: number) => judge(with32Bit, architecture, CLONE[column]!, flags);
    expect(judgeClone(THREAD)).toBe(ALLOWED);
    expect([NEW_USERS, NEW_NETWORK, NEW_MOUNTS].map(judgeClone)).toEqual(Array(3).fill(refused(EPERM)));
  }
});

it('the filter of system calls lets sockets be of the network and of the box only', () => {
  const judgeSocket = (family: number) => judge(plain, X86_64, SOCKET[0]!, family);
  expect([1, 2, 10, 16].map(judgeSocket)).toEqual(Array(4).fill(ALLOWED));
  const [VSOCK, ALG, PACKET] = [40, 38, 17];
  expect([VSOCK, ALG, PACKET].map(judgeSocket)).toEqual(Array(3).fill(refused(EAFNOSUPPORT)));
});

it('the filter of system calls lets a personality be asked for, and be the usual ones', () => {
  const judgePersonality = (value: number) => judge(plain, X86_64, PERSONALITY[0]!, value);
  expect([0, 0xffff_ffff].map(judgePersonality)).toEqual([ALLOWED, ALLOWED]);
  const READ_IMPLIES_EXEC = 0x0040_0000;
  expect(judgePersonality(READ_IMPLIES_EXEC)).toBe(refused(EPERM));
});

it('the filter of system calls lets nothing be typed into the terminal that started the agent', () => {
  const [TIOCSTI, FIONREAD] = [0x5412, 0x541b];
  expect(judge(plain, X86_64, IOCTL[0]!, 0, TIOCSTI)).toBe(refused(EPERM));
  expect(judge(plain, X86_64, IOCTL[0]!, 0, FIONREAD)).toBe(ALLOWED);
});

it('the filter of system calls knows no other ways to the kernel: x32, unknown numbers, 32 bit where nobody needs it, other processors', () => {
  const [READ, X32_READ, NOT_MADE_YET, ARM64] = [0, 0x4000_0000, 5000, 0xc000_00b7];
  expect(judge(plain, X86_64, X32_READ)).toBe(refused(ENOSYS));
  expect(judge(plain, X86_64, NOT_MADE_YET)).toBe(refused(ENOSYS));
  expect(judge(plain, I386, READ)).toBe(refused(ENOSYS));
  expect(judge(with32Bit, ARM64, READ)).toBe(KILLED);
});

it('the filter of system calls fits into what the kernel takes, and jumps within itself', () => {
  const program = toFilterProgram({ allows32Bit: true });
  expect(program.length).toBeLessThan(4096);
  program.forEach(({ jumpIfTrue, jumpIfFalse }, at) => {
    expect(Math.max(jumpIfTrue, jumpIfFalse)).toBeLessThan(256);
    expect(at + 1 + Math.max(jumpIfTrue, jumpIfFalse)).toBeLessThan(program.length + 1);
  });
});

const headers = ['64', '32'].map((bits) => `/usr/include/x86_64-linux-gnu/asm/unistd_${bits}.h`);

it.runIf(headers.every((path) => existsSync(path)))(
  "the filter of system calls names calls by the numbers in this machine's headers",
  () => {
    const texts = headers.map((path) => readFileSync(path, 'utf8'));
    const named = {
      ...forbiddenCalls,
      ...absentCalls,
      clone: CLONE,
      personality: PERSONALITY,
      ioctl: IOCTL,
      socket: SOCKET,
    };
    for (const [name, numbers] of Object.entries(named)) {
      const stated = texts.map((text) => new RegExp(`^#define __NR_${name}\\s+(\\d+)$`, 'm').exec(text)?.[1]);
      expect([name, ...stated.map((number) => (number === undefined ? null : Number(number)))]).toEqual([
        name,
        ...numbers,
      ]);
    }
  },
);
