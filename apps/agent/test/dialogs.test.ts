/** Unexpected dialogs: they are reported where they are in the way, with a screenshot unless they show a password. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { afterEach, expect, it } from 'vitest';
import { openPlatformBases } from '../src/bases/bases.ts';
import { RealEdition, realPrograms } from '../src/platforms/metatrader/editions/real/real-edition.ts';
import { toTerminalObservation, type TerminalFacts } from '../src/platforms/metatrader/run/observations.ts';
import { toDialogText } from '../src/platforms/metatrader/run/dialogs.ts';
import { useSandboxHost } from './support/sandbox-host.ts';

const host = useSandboxHost();
afterEach(() => host.stopTerminals());

it('a dialog that nobody asked for is named by the start that it keeps from coming up, with a screenshot, and by the terminal', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await host.reopen(terminal, { faults: { hang: true }, timing: { startMs: 3_000 } });
  await terminal.driver.reattach();
  const outcome = await terminal.run(TaskType.MARKET_WATCH_SHOW_ALL);
  const step = outcome.steps.at(-1);
  expect(step).toMatchObject({ step: 'start_script', ok: false, code: 'E_NOT_RUNNING' });
  expect(step?.message).toContain('"Berth Sandbox: A debugger has been found running in your system.');
  const { id } = step?.data.file as { id: string };
  expect(terminal.files.contents.get(id)?.subarray(1, 4).toString()).toBe('PNG');
  expect(terminal.driver.observe()).toMatchObject({
    status: TerminalStatus.DISCONNECTED,
    reason: expect.stringContaining('A debugger has been found') as string,
  });
});

it('a dialog that nobody asked for is not captured where passwords are shown', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await host.reopen(terminal, { faults: { wizard: true } });
  await terminal.driver.stop();
  await rm(join(host.folder, 'terminals', terminal.id, 'login.sealed'));
  await rm(join(host.toRoot(terminal), 'config/accounts.dat'));
  await terminal.driver.restart();
  const outcome = await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://a.example' });
  const step = outcome.steps.at(-1);
  expect(step?.message).toContain('A dialog stands open in the terminal: "Open an Account');
  expect(step?.data).toEqual({});
});

it('a dialog that nobody asked for leaves a task that failed for another reason alone', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  const outcome = await terminal.run(TaskType.SCREENSHOT, { chart_id: '4711' });
  expect(outcome.kind).toBe('failed');
  expect(outcome.steps.at(-1)?.message).not.toContain('dialog');
});

it('a dialog that nobody asked for is quoted in one short line, whatever it says', () => {
  const text = `first\r\nsecond \u202e${'x'.repeat(5000)}`;
  const quoted = toDialogText(Array.from({ length: 9 }, () => ({ title: 'T', text, isSecret: false })));
  expect(quoted).toContain('"T: first second x');
  expect(quoted).not.toMatch(/[\r\n\u202e]/);
  expect(quoted.length).toBeLessThan(1200);
});

const facts: TerminalFacts = {
  path: '/t',
  isAlive: true,
  shouldRun: true,
  isStopped: false,
  view: { build: 6182, login: { state: 'in', login: '5001', server: 'Demo', pingMs: 1 }, skippedBytes: 0 },
  trading: { trading_allowed: null, trading_reason: null },
  pinnedBuild: null,
  dialogs: [],
  obstacle: undefined,
};

it('a terminal that updated itself says so when it passed the build on which its host keeps it', () => {
  expect(toTerminalObservation(facts)).toMatchObject({ status: TerminalStatus.ACTIVE, reason: null });
  expect(toTerminalObservation({ ...facts, pinnedBuild: 6182 })).toMatchObject({ reason: null });
  const passed = toTerminalObservation({ ...facts, pinnedBuild: 5836 });
  expect(passed).toMatchObject({ status: TerminalStatus.ACTIVE });
  expect(passed?.reason).toContain('updated itself to build 6182, past build 5836');
});

it('a terminal that updated itself is kept on the build of its own base, whatever base new terminals are made from', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-pin-'));
  const bases = openPlatformBases(join(folder, 'bases'), 'mt5');
  const edition = new RealEdition({ program: realPrograms.mt5, bases });
  const box = { folder, home: folder, toInside: (path: string) => path };
  expect(await edition.findPinnedBuild(box)).toBeNull();
  const record = {
    version: 1,
    platform: 'mt5',
    name: 'a',
    program: 'mt5/terminal64.exe',
    build: 5836,
    wine_version: 'wine-10.0',
    prepared_at: '2026-01-01T00:00:00.000Z',
    sha256: {},
    pinned_build: 5836,
  };
  await writeFile(join(folder, 'base.json'), JSON.stringify(record));
  expect(await edition.findPinnedBuild(box)).toBe(5836);
  await rm(folder, { recursive: true });
});
