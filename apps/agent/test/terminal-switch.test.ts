/** Whether algo trading could be turned off on a terminal, without turning it off. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, describe, expect, test } from 'vitest';
import { LauncherError, type Launcher, type Screen } from '../src/launchers/launcher.ts';
import { createProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { RealWindow } from '../src/platforms/metatrader/editions/window/real-window.ts';
import { checkSwitch } from '../src/platforms/metatrader/run/switch-check.ts';
import { useSandboxHost, type HostOptions, type TestTerminal } from './support/sandbox-host.ts';

const UNKNOWN = 'Whether algo trading is on is not known, so the terminal would have to be restarted to turn it off.';

describe('a terminal whose algo trading could be turned off', () => {
  const host = useSandboxHost();
  afterEach(() => host.stopTerminals());

  const check = ({ driver }: TestTerminal) => driver.checkSwitch!();
  const run = async (terminal: TestTerminal, type: TaskType, payload: Record<string, unknown> = {}) => {
    const outcome = await terminal.run(type, payload);
    expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
  };
  const switchOn = (terminal: TestTerminal) => run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  const install = async (options: HostOptions = {}, server_name = 'Test-Demo') => {
    const terminal = await host.createTerminal(options);
    terminal.account = { ...terminal.account, server_name };
    expect((await terminal.install()).kind).toBe('completed');
    return terminal;
  };
  const readFiles = (folder: string, names: readonly string[]) =>
    Promise.all(names.map((name) => readFile(join(folder, name))));
  /** What shows a start, a stop or a toggle. */
  const look = async (terminal: TestTerminal) => {
    const root = host.toRoot(terminal);
    const logs = (await readdir(join(root, 'logs'))).sort();
    const journal = (await readFiles(join(root, 'logs'), logs)).map((content) => content.toString('utf16le')).join('');
    return {
      record: await host.readRecord(terminal),
      settings: await readFiles(root, ['config/common.ini']),
      journal: journal.split('\r\n').filter((line) => /automated trading|started for|shutdown|stopped/.test(line)),
    };
  };

  test.each([['MetaTrader 5', false] as const, ['MetaTrader 4', true] as const])(
    'a terminal whose algo trading could be turned off has no problem while it runs with the switch on or off, and while it is stopped on purpose, as on %s',
    async (_name, isMt4) => {
      const terminal = await host.createTerminal({ isMt4 });
      expect(await check(terminal)).toBe('The terminal is not installed.');
      expect((await terminal.install()).kind).toBe('completed');
      expect(await check(terminal)).toBeNull();
      await switchOn(terminal);
      expect(await check(terminal)).toBeNull();
      await run(terminal, TaskType.TERMINAL_STOP);
      expect(await check(terminal)).toBeNull();
    },
  );

  test('a terminal whose algo trading could be turned off is left as it was by the check', async () => {
    const terminal = await install();
    await switchOn(terminal);
    const before = await look(terminal);
    expect(before.journal.at(-1)).toContain('automated trading is enabled');
    for (let count = 0; count < 3; count += 1) expect(await check(terminal)).toBeNull();
    expect(await look(terminal)).toEqual(before);
    expect(terminal.driver.isAlive()).toBe(true);
    await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
    // By the key: a switch that was toggled meanwhile would have been turned on by it.
    expect((await look(terminal)).record.process).toEqual(before.record.process);
  });

  test('a terminal whose algo trading could be turned off is one that runs: of one that was killed it says that it does not', async () => {
    const terminal = await install();
    await switchOn(terminal);
    await host.crash(terminal);
    expect(await check(terminal)).toMatch(/^The terminal is not running: /);
    await terminal.driver.restart();
    expect(await check(terminal)).toBeNull();
  });

  test('a terminal whose algo trading could be turned off has no dialog in front of it', async () => {
    const terminal = await install({}, 'Dialog-Demo');
    await switchOn(terminal);
    await waitFor(async () => (await check(terminal)) !== null, { what: 'the dialog' });
    expect(await check(terminal)).toBe("A dialog stands in front of the terminal's window.");
  });

  test('a terminal whose algo trading could be turned off has a screen that can be asked: a failure of its own is said, another one is not for the user', async () => {
    const plain = createProcessLauncher();
    let failure: Error | undefined;
    const screen: Launcher['screen'] = (box) => {
      const usual = plain.screen(box);
      return {
        open: () => usual.open(),
        hasWindow: () => usual.hasWindow(),
        capture: (size) => usual.capture(size),
        ask: (request, options) => (failure ? Promise.reject(failure) : usual.ask(request, options)),
      };
    };
    const terminal = await install({ launcher: { ...plain, screen } });
    await switchOn(terminal);
    failure = new LauncherError('screen', "The terminal's screen does not answer.");
    expect(await check(terminal)).toBe("The terminal's screen does not answer.");
    failure = new LauncherError('disk', 'No space is left in /srv/hosts.');
    await expect(check(terminal)).rejects.toThrow(failure);
    failure = undefined;
    expect(await check(terminal)).toBeNull();
  });

  test('a terminal whose algo trading could be turned off has a journal that was read whole', async () => {
    const terminal = await install();
    await switchOn(terminal);
    const line = 'x'.repeat(1_000);
    const lines = Array.from({ length: 1_000 }, () => line);
    for (let count = 0; count < 20; count += 1) host.say(terminal, lines);
    await waitFor(() => terminal.driver.observe()?.reason?.includes('skipped'), { what: 'a gap', timeoutMs: 60_000 });
    expect(await check(terminal)).toBe(UNKNOWN);
    await terminal.driver.stop();
    await terminal.driver.restart();
    expect(await check(terminal)).toBeNull();
  });

  test.each([
    [true, 0, null],
    [true, 1, UNKNOWN],
    [null, 0, UNKNOWN],
    [null, 1, UNKNOWN],
    [false, 0, null],
    [false, 1, null],
  ])(
    'a terminal whose algo trading could be turned off has a switch of known state: with %j, and %j bytes of the journal skipped, the problem is %j',
    async (...given) => {
      const [algoTrading, skippedBytes, problem] = given;
      const checked = await checkSwitch({
        record: { get: () => ({ isInstalled: true, shouldRun: true }) },
        live: { isAlive: () => true, algoTrading, view: { skippedBytes } },
        window: { assertAnswers: async () => undefined },
      });
      expect(checked).toBe(problem);
    },
  );
});

interface Window {
  handle: string;
  class?: string;
  title: string;
  enabled?: boolean;
  hung?: boolean;
  owner?: string;
}
const main: Window = { handle: '1', title: '5001 - Demo' };
const tip: Window = { handle: '2', class: '#32770', title: 'Tip of the Day', owner: '1' };
const terms: Window = { ...tip, handle: '3', title: 'Terms of use' };

/** What the window says of these windows, and which requests it made for it. */
const check = async (...windows: Window[]) => {
  const asked: string[] = [];
  const toAnswer = ({ op }: { op: string }) => {
    asked.push(op);
    const controls = [{ handle: '9', class: 'Button', text: '&Close', visible: true, enabled: true }];
    if (op === 'controls') return { controls };
    return { windows: windows.map((window) => ({ program: 'terminal64.exe', enabled: true, ...window })) };
  };
  const screen: Pick<Screen, 'ask'> = {
    ask: async (request) => ({ answers: (request as { requests: { op: string }[] }).requests.map(toAnswer) }),
  };
  const window = new RealWindow(screen as Screen, 'terminal64.exe');
  const problem = await window.assertAnswers().then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
  expect(asked.filter((op) => op !== 'windows' && op !== 'controls')).toEqual([]);
  return problem;
};

test('a real window would take the key when it is there and answers, also behind dialogs that the key would close', async () => {
  expect(await check(main)).toBeNull();
  expect(await check({ ...main, enabled: false }, tip)).toBeNull();
});

test('a real window would not take the key when it is missing, hangs, or is behind another dialog', async () => {
  expect(await check()).toBe('The terminal shows no window.');
  expect(await check(terms)).toBe('The terminal shows no window.');
  expect(await check({ ...main, hung: true }, tip)).toBe("The terminal's window does not answer: it hangs.");
  const behind = "A dialog stands in front of the terminal's window.";
  expect(await check({ ...main, enabled: false }, terms)).toBe(behind);
  expect(await check({ ...main, enabled: false }, tip, terms)).toBe(behind);
  expect(await check({ ...main, enabled: false }, { ...tip, hung: true })).toBe(behind);
  expect(await check({ ...main, enabled: false })).toBe(behind);
});
