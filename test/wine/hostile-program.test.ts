// @module-tag wine
/** The hostile program outside of any box: what it gets there, and what it must never do there. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { endProcesses } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesktop, type Desktop } from './support/desktop.ts';
import { buildWindowsPrograms, hostileProgram } from './support/windows-programs.ts';

let desktop: Desktop;
let count = 0;

/** Runs one attack; its code, and the line that it left. */
const attack = async (...args: string[]): Promise<{ code: number | null; line: Record<string, unknown> }> => {
  const name = `hostile-${++count}.json`;
  const { code } = await desktop.start(hostileProgram, ['--to', `C:\\${name}`, ...args]).ended;
  return { code, line: JSON.parse(readFileSync(join(desktop.driveC, name), 'utf8')) as Record<string, unknown> };
};

beforeAll(async () => {
  buildWindowsPrograms('hostile');
  desktop = await openDesktop();
});
afterAll(async () => {
  await desktop.close();
  await endProcesses();
});

it.each([
  ['the kernel’s own way', 'raw-read', '/etc/hostname'],
  ['a way that needs no drive', 'read', '\\\\?\\unix\\etc\\hostname'],
])('the hostile program, outside of a box reads the files of the host by %s', async (_, name, path) => {
  const { line } = await attack(name, path);
  expect(line).toMatchObject({ attack: name, got: true });
  expect(line.sample).toContain(hostname().slice(0, 2));
});

it('the hostile program, outside of a box sees all processes of the host', async () => {
  const { line } = await attack('processes');
  expect(line.names).toMatch(/^1:/);
  expect(line.environments).toBeGreaterThan(0);
});

// Of all that harms the machine only what does the least harm is tried: a test must not rest on the refusal of the rest.
it.each([
  ['fork', '1', '1'],
  ['memory', '1', '0'],
])('the hostile program, outside of a box refuses what could harm the machine: %s', async (...args) => {
  const { code, line } = await attack(...args);
  expect(code).toBe(3);
  expect(line).toEqual({ attack: args[0], refused: 'this is no box' });
});
