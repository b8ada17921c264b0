// @module-tag wine
/** The service program of Windows hosts, under Wine's own service manager: a real service, started and stopped by Wine's tools. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDesktop, type Desktop } from './support/desktop.ts';
import { argumentsProgram, buildWindowsPrograms, serviceProgram } from './support/windows-programs.ts';
import { getLoader } from './support/wine-tools.ts';

let wine: Desktop;
let logs: string;

/** Into a file: what Wine starts with its first program, and leaves running, would hold a pipe open. */
const run = async (program: string, ...args: string[]): Promise<string> => {
  const path = join(wine.driveC, 'output');
  const output = openSync(path, 'w');
  const child = spawn(getLoader(), [program, ...args], {
    env: wine.environment,
    cwd: wine.driveC,
    stdio: ['ignore', output, output],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  closeSync(output);
  if (code !== 0) throw Object.assign(new Error(`${program} ended with ${code}`), { code });
  return readFileSync(path, 'utf8');
};
const readLog = (name = 'agent.log'): string => {
  const path = join(logs, name);
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : '';
};
const create = (agent: string): Promise<string> =>
  run('sc.exe', 'create', 'Berth', 'binPath=', `C:\\berth\\berth-service.exe ${agent}`, 'start=', 'demand');

beforeAll(async () => {
  wine = await openDesktop();
  buildWindowsPrograms('service', 'arguments');
  logs = join(wine.driveC, 'berth/logs');
  mkdirSync(logs, { recursive: true });
  copyFileSync(serviceProgram, join(wine.driveC, 'berth/berth-service.exe'));
  copyFileSync(argumentsProgram, join(wine.driveC, 'berth/agent program.exe'));
  // Wine ends its services soon after the last program that is none: the agent's end must not be that of everything.
  wine.start('notepad.exe');
});
afterEach(async () => {
  await run('net.exe', 'stop', 'Berth').catch(() => undefined);
  await run('sc.exe', 'delete', 'Berth');
});
afterAll(() => wine.close());

describe('the service of the agent', () => {
  it('runs it with its own command line, keeps what it writes, and lets it end by itself', async () => {
    await create('C:\\berth\\logs -- "C:\\berth\\agent program.exe" main.js "two words"');
    await run('net.exe', 'start', 'Berth');
    await waitFor(() => readLog().includes('started\n'), { what: 'the agent' });
    expect(readLog()).toBe('main.js\ntwo words\nstarted\n');
    await waitFor(async () => /STATE\s+: 4\s+RUNNING/.test(await run('sc.exe', 'query', 'Berth')), {
      what: 'the service',
    });
    await run('net.exe', 'stop', 'Berth');
    await waitFor(() => readLog().endsWith('ended politely\n'), { what: 'the polite end' });
    await waitFor(async () => /STATE\s+: 1\s+STOPPED/.test(await run('sc.exe', 'query', 'Berth')), {
      what: 'the stop',
    });
  });

  it('starts it again when it ends, and still stops', async () => {
    const before = readLog();
    await create('C:\\berth\\logs -- "C:\\berth\\agent program.exe" end 7');
    await run('net.exe', 'start', 'Berth');
    await waitFor(() => readLog().slice(before.length).split('started').length > 2, { what: 'a second agent' });
    await run('net.exe', 'stop', 'Berth');
    await waitFor(async () => /STATE\s+: 1\s+STOPPED/.test(await run('sc.exe', 'query', 'Berth')), {
      what: 'the stop',
    });
  });

  it('is no service without an agent, or a log', async () => {
    await create('C:\\berth\\nowhere -- a.exe');
    await expect(run('net.exe', 'start', 'Berth')).rejects.toThrow();
    for (const args of [[], ['C:\\berth\\logs'], ['C:\\berth\\logs', '--'], ['C:\\berth\\nowhere', '--', 'a.exe']]) {
      await expect(run('C:\\berth\\berth-service.exe', ...args)).rejects.toMatchObject({ code: 2 });
    }
    await expect(run('C:\\berth\\berth-service.exe', 'C:\\berth\\logs', '--', 'a.exe')).rejects.toMatchObject({
      code: 1,
    });
  });
});
