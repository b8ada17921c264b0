/** What happens to a terminal when its host is in trouble. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();
/** False: nobody may mount here, and the tests that need a small disk are skipped. */
let hasDisk = false;
beforeAll(async () => {
  const folder = join(host.folder, 'terminals');
  mkdirSync(folder);
  hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder]).status === 0;
});
afterAll(async () => {
  await host.stopTerminals();
  if (hasDisk) spawnSync('umount', ['-l', join(host.folder, 'terminals')]);
});

const statusOf = ({ driver }: TestTerminal) => driver.observe()?.status;
const installExpert = (terminal: TestTerminal, content: Buffer | string, name = 'Trend') =>
  terminal.installExpert({ name, file_id: terminal.files.add(content) });

/** Takes all room but some on the disk of the terminals. */
const withFullDisk = async <Result>(leftBytes: number, act: () => Promise<Result>): Promise<Result> => {
  const folder = join(host.folder, 'terminals');
  const filler = join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  try {
    return await act();
  } finally {
    rmSync(filler);
  }
};

describe('a full disk', { tags: ['mount'] }, () => {
  test.each([
    ['hardly any room', 100_000],
    ['no room at all', 0],
  ])(
    'a full disk with %s fails an installation of an expert, and the terminal runs on as it was',
    async (_, leftBytes) => {
      const terminal = await host.installTerminal();
      expect((await installExpert(terminal, 'program one', 'First')).kind).toBe('completed');
      const outcome = await withFullDisk(leftBytes, async () => {
        const failed = await installExpert(terminal, Buffer.alloc(1_000_000, 'x'));
        // What keeps a terminal up from outside of tasks.
        await waitFor(async () => {
          if (!terminal.driver.isAlive()) await terminal.driver.restart().catch(() => undefined);
          return terminal.driver.isAlive() && statusOf(terminal) === 3;
        });
        return failed;
      });
      expect(outcome).toMatchObject({ kind: 'failed' });
      expect(outcome.steps.at(-1)).toMatchObject({ ok: false, code: 'E_DISK' });
      const experts = await readdir(join(host.toRoot(terminal), 'MQL5/Experts'));
      expect(experts.filter((name) => name !== 'First.ex5')).toEqual([]);
      expect((await installExpert(terminal, Buffer.alloc(1_000_000, 'x'))).kind).toBe('completed');
      const removed = await terminal.run(TaskType.EA_REMOVE, { name: 'First' });
      expect(removed.steps.at(-1)?.data.removed).toHaveLength(1);
      await terminal.run(TaskType.TERMINAL_DESTROY);
    },
  );
});

test('two logins with different passwords of which the second is refused leave the account of the first, also after a crash', async () => {
  const terminal = await host.installTerminal();
  const login = (password: string) => terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password } });
  expect((await login(terminal.account.password)).kind).toBe('completed');
  const refused = await login('another');
  expect(refused.steps.at(-1)).toMatchObject({ code: 'E_AUTH' });
  await host.crash(terminal);
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === 3);
});

test('a terminal that hangs holds up nobody: the tasks of others end before its own', async () => {
  const busy = [await host.installTerminal(), await host.installTerminal()];
  const hung = await host.createTerminal({ faults: { hang: true }, timing: { startMs: 600_000 } });
  const ends: string[] = [];
  const ending = new AbortController();
  const installing = hung.install(ending.signal).then((outcome) => {
    ends.push('hung');
    return outcome;
  });
  for (const name of ['One', 'Two', 'Three']) {
    const outcomes = await Promise.all(busy.map((terminal) => installExpert(terminal, name, name)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['completed', 'completed']);
  }
  ends.push('busy');
  ending.abort();
  expect((await installing).steps.at(-1)).toMatchObject({ step: 'start_terminal', ok: false });
  expect(ends).toEqual(['busy', 'hung']);
  expect(busy.map(statusOf)).toEqual([3, 3]);
});
