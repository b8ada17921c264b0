import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  endProcess,
  findProcess,
  findProcessStat,
  isProcessAlive,
  toProcessIdentity,
  toProcessWord,
} from '../src/index.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const start = async (program: string, ...args: string[]): Promise<ChildProcess> => {
  const child = spawn(program, args, { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child;
};

test('a program may have any name: what the system says of it is read behind the last bracket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-kit-'));
  try {
    const program = join(folder, 'a) R 1 (');
    copyFileSync('/bin/sleep', program);
    const { pid } = await start(program, '600');
    expect(findProcessStat(pid!)).toMatchObject({ parentPid: process.pid, cpuTicks: expect.any(Number) as number });
    expect(findProcessStat(pid!)?.startTicks).toMatch(/^\d+$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a process is known for ever by its number and its start, and is ended once', async () => {
  const child = await start('/bin/sleep', '600');
  const identity = findProcess(child.pid!)!;
  expect(isProcessAlive(identity)).toBe(true);
  expect(isProcessAlive({ ...identity, startedAt: 'another' })).toBe(false);
  await endProcess(identity, [['SIGTERM', 10_000]]);
  expect(isProcessAlive(identity)).toBe(false);
  await endProcess(identity, [['SIGTERM', 0]]);
});

/** Its threads release the memory one after another when it ends, which takes a moment. */
const HOLD = `
  const filled = Buffer.alloc(64e6, 1);
  require('node:net').createServer().listen('\\0' + process.argv[1], () => process.stdout.write('ready'));
`;

test('a process has ended only when all its threads have, so that what it held is free', async () => {
  for (let round = 0; round < 10; round += 1) {
    const name = `berth-kit-${process.pid}-${round}`;
    const child = spawn(process.execPath, ['-e', HOLD, name], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    const identity = findProcess(child.pid!)!;
    child.kill('SIGKILL');
    // Without a pause, to see the first moment at which it counts as ended.
    while (isProcessAlive(identity));
    const server = createServer().listen(`\0${name}`);
    await once(server, 'listening');
    server.close();
  }
});

test('a process is found again by the word that was kept of it, and by no other word', () => {
  const identity = findProcess(process.pid)!;
  expect(toProcessIdentity(toProcessWord(identity))).toEqual(identity);
  for (const word of ['', '12', '12:', ':x', 'x:y', '12:a b', '12:a/13:b', ' 12:a', '12:a\n']) {
    expect(toProcessIdentity(word)).toBeUndefined();
  }
});

test('a process that outlives the last step is reported', async () => {
  const child = await start('/bin/sleep', '600');
  await expect(endProcess(findProcess(child.pid!)!, [['SIGCONT', 0]])).rejects.toThrow('does not end');
});
