// @module-tag wine
/** What a real terminal does besides its tasks: dialogs that nobody asked for, updates of itself, a pinned build. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TaskStatus } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { listHostBoxes } from './support/host-boxes.ts';
import { startStandInHost, type StandInHost } from './support/stand-in-host.ts';

let host: StandInHost;
let user: TerminalUser;
let id: string;
let root: string;
beforeAll(async () => {
  host = await startStandInHost();
  user = new TerminalUser(host.stack.url, (await host.stack.register('Real Terminal')).token);
  const order = { server_name: 'Harbour-Demo', login: '5001', password: 'pass-5001', region: 2, platform: 'mt5' };
  ({ id } = await user.createTerminal(order));
  root = (await user.waitForStatus(id, 'ACTIVE')).path ?? '';
});
afterAll(() => host?.close());

const setFaults = (faults: Record<string, string | number>): Promise<void> => {
  const lines = Object.entries(faults).map(([key, value]) => `${key}=${value}`);
  return writeFile(join(root, 'berth-faults.ini'), ['[faults]', ...lines, ''].join('\r\n'));
};
/** Starts the terminal again, as any task does that changes its files. */
const restart = () => user.run(id, 'ACCOUNT_LOGIN');
/** As logged next to the other figures, every 15 seconds. */
const getBuild = async () => (await user.berth.terminals.get(id, { include: 'details' })).build;
const getReason = async () => (await user.getTerminal(id)).status_reason ?? '';

it('a terminal under Wine names the dialog that stands in front of a task, with a screenshot of it', async () => {
  await setFaults({ dialog_title: 'Terms of use', dialog_text: 'The terms have changed.', dialog_after_ms: 500 });
  await restart();
  const attempt = () => user.createTask(id, 'OPTIONS_WEB_REQUEST', { url: 'https://signals.example.com' });
  const task = await waitFor(
    async () => {
      const ended = await user.waitForEnd(id, await attempt());
      return ended.status === TaskStatus.FAILED && ended;
    },
    { what: 'a task that the dialog stops', timeoutMs: 60_000 },
  );
  const step = task.result.runner_result.at(-1);
  expect(step?.message).toContain('"Terms of use: The terms have changed.');
  const { url } = step?.data.file as { url: string };
  expect((await user.download(url)).subarray(1, 4).toString()).toBe('PNG');
});

it('a terminal under Wine is reported with the way in which it ended, and started again, when it is killed', async () => {
  const { inside } = (await listHostBoxes(host.directory))[0]!;
  process.kill(inside.find(({ command }) => command[0]?.endsWith('\\terminal64.exe'))!.pid, 'SIGKILL');
  const findDown = async () => (await user.berth.eventLog.list({ types: 'terminal.down' }).toArray())[0];
  const { data } = await waitFor(findDown, { what: 'the event', timeoutMs: 60_000 });
  expect(data).toMatchObject({ cause: 'process', exit: { code: null, signal: 'SIGKILL' } });
  await user.waitForStatus(id, 'ACTIVE');
});

it('a terminal under Wine puts an update off that asks for a restart, and goes on', async () => {
  await setFaults({ live_update_dialog: 1 });
  await restart();
  const added = await user.run(id, 'OPTIONS_WEB_REQUEST', { url: 'https://signals.example.com' });
  expect(added.data.urls).toEqual(['https://signals.example.com']);
});

it('a terminal under Wine is taken over when it updates itself, with the build that it has then', async () => {
  const record = join(dirname(dirname(dirname(root))), 'base.json');
  const base = JSON.parse(await readFile(record, 'utf8')) as { build: number };
  await writeFile(record, JSON.stringify({ ...base, pinned_build: base.build }));
  await setFaults({ live_update_after_ms: 1_500, restart_ms: 1_000 });
  await restart();
  await waitFor(async () => (await getReason()).includes(`past build ${base.build}`), {
    what: 'the word about the build',
    timeoutMs: 120_000,
  });
  expect(await getReason()).toContain('The terminal updated itself to build');
  const build = await waitFor(async () => ((await getBuild()) ?? 0) > base.build && getBuild(), {
    what: 'the new build',
  });
  expect(await getReason()).toContain(`to build ${build},`);
  await setFaults({});
  await user.waitForStatus(id, 'ACTIVE');
  expect((await user.run(id, 'EA_LOGS', { source: 'journal', lines: 50 })).status).toBe(TaskStatus.COMPLETED);
});
