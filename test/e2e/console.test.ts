/** What a person sees who starts Berth at a terminal, and what a program gets that reads the same output. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostStatus } from '@berth/contract';
import { createTestDatabase, endProcesses, logInOperator, spawnProcess, waitFor } from '@berth/testing';
import type { SpawnedProcess } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toEnvironment, waitUntilReady } from './checkout.ts';

const rootDir = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 600_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-console-'));
});
afterAll(async () => {
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

const spawnInShell = (command: string, hasTerminal: boolean, own: Record<string, string>): SpawnedProcess => {
  const [program, args] = hasTerminal ? ['script', ['-qec', command, '/dev/null']] : ['sh', ['-c', command]];
  return spawnProcess(program, args, { env: toEnvironment({ HOME: folder, TERM: 'xterm', ...own }), stdio: 'pipe' });
};

describe('a start', { timeout: TIMEOUT_MS }, () => {
  /** The output until the four local hosts are in service: by then everything of a start has been logged. */
  const readStart = async (name: string, hasTerminal: boolean, own: Record<string, string> = {}): Promise<string> => {
    const database = await createTestDatabase();
    const started = spawnInShell(`exec node ${join(rootDir, 'apps/server/dist/main.js')}`, hasTerminal, {
      BERTH_PORT: '0',
      BERTH_DATA_DIR: join(folder, name),
      BERTH_DATABASE_URL: database.url,
      BERTH_LOCAL_AGENT: 'on',
      BERTH_RATE_LIMIT: 'off',
      ...own,
    });
    const { berth } = await logInOperator({ server: started, url: await waitUntilReady(started) });
    const isInService = async (): Promise<boolean> => {
      const { data } = await berth.operator.hosts.page();
      return data.filter(({ status }) => status === HostStatus.ONLINE).length === 4;
    };
    await waitFor(isInService, { what: 'four hosts in service', timeoutMs: TIMEOUT_MS / 2 });
    if (!hasTerminal) await started.waitForLine(/the host is in service/);
    if (hasTerminal) started.child.stdin?.write('\u0003');
    else started.kill('SIGTERM');
    await started.ended;
    await database.close();
    return started.output;
  };
  const listLevels = (output: string): number[] =>
    [...output.matchAll(/^\{"level":(\d+)/gm)].map(([, level]) => Number(level));

  it(
    'a start shows on a terminal what a person needs, and beside it only what is wrong',
    { tags: ['pty'] },
    async () => {
      const output = await readStart('quiet', true);
      expect(output).toContain('Berth is ready at');
      expect(listLevels(output).filter((level) => level < 40)).toEqual([]);
    },
  );

  it('a start shows on a terminal as much more as was asked for', { tags: ['pty'] }, async () => {
    expect(listLevels(await readStart('asked', true, { BERTH_LOG_LEVEL: 'info' }))).toContain(30);
  });

  it('a start is logged as ever where its output is read by a program', async () => {
    expect(listLevels(await readStart('logged', false))).toContain(30);
  });
});

describe('the installation of packages', { timeout: TIMEOUT_MS }, () => {
  /** A clone whose packages come from a slow network: they are there when the test says so. */
  const createClone = (name: string): { command: string; arrive: () => void; environment: Record<string, string> } => {
    const clone = join(folder, name);
    mkdirSync(join(clone, 'script'), { recursive: true });
    mkdirSync(join(clone, 'bin'));
    copyFileSync(join(rootDir, 'script/setup'), join(clone, 'script/setup'));
    writeFileSync(join(clone, 'script/build'), '#!/bin/sh\necho built\n');
    const npm = 'until [ -e arrived ]; do sleep 0.1; done; mkdir node_modules; touch node_modules/.package-lock.json';
    writeFileSync(join(clone, 'bin/npm'), `#!/bin/sh\n[ -e refused ] && exit 1\n${npm}\n`);
    // A second of the progress takes less here.
    writeFileSync(join(clone, 'bin/sleep'), '#!/bin/sh\nexec /bin/sleep 0.05\n');
    for (const file of ['script/setup', 'script/build', 'bin/npm', 'bin/sleep']) chmodSync(join(clone, file), 0o755);
    return {
      command: join(clone, 'script/setup'),
      arrive: () => writeFileSync(join(clone, 'arrived'), ''),
      environment: { PATH: `${join(clone, 'bin')}:${process.env.PATH}` },
    };
  };

  it(
    'the installation of packages counts the seconds on a terminal, in one line that is gone at the end',
    { tags: ['pty'] },
    async () => {
      const { command, arrive, environment } = createClone('counted');
      const setup = spawnInShell(command, true, environment);
      await waitFor(() => setup.output.includes('\r\u001b[K  2 s'), { what: 'two seconds' });
      arrive();
      expect(await setup.ended).toMatchObject({ code: 0 });
      expect(setup.output.endsWith(' s\r\u001b[Kbuilt\r\n')).toBe(true);
      expect(setup.output.split('\n').length).toBe(3);
    },
  );

  it('the installation of packages says elsewhere now and then that it goes on, without a control character', async () => {
    const { command, arrive, environment } = createClone('told');
    const setup = spawnInShell(command, false, environment);
    await setup.waitForLine(/^berth: installing packages \(once\) \.\.\. 10 s$/m);
    arrive();
    expect(await setup.ended).toMatchObject({ code: 0 });
    for (const control of ['\r', '\u001b']) expect(setup.output).not.toContain(control);
    expect(setup.output.endsWith('built\n')).toBe(true);
  });

  it('stops counting when it fails, and says so', async () => {
    const { command, environment } = createClone('refused');
    writeFileSync(join(folder, 'refused/refused'), '');
    const setup = spawnInShell(command, false, { ...environment });
    expect(await setup.ended).toMatchObject({ code: 1 });
    expect(setup.output).toContain('installing the packages failed');
  });
});
