/** What no reader knows stays as it is, and the task that came across it says so. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { TaskType } from '@berth/contract';
import { expect, test } from 'vitest';
import type { AttemptOutcome } from '../src/platforms/driver.ts';
import { decodeText, encodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { useSandboxHost, type HostOptions, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

const ODD = 'what is <this>';
/** Nothing that a host reports may look like a tag. */
const UNKNOWN = 'what is ‹this›';

const host = useSandboxHost();

const listUnknown = (outcome: AttemptOutcome) => outcome.steps.flatMap(({ data }) => data.not_understood ?? []);
const toPath = (terminal: TestTerminal, file: string) => join(host.toRoot(terminal), file);
const read = async (path: string): Promise<string> => decodeText(await readFile(path)).text;
/** Puts the odd line before the first one that has the text. */
const spoil = async (path: string, before: string): Promise<void> => {
  const { text, encoding } = decodeText(await readFile(path));
  expect(text).toContain(before);
  await writeFile(path, encodeText({ text: text.replace(before, `${ODD}\r\n${before}`), encoding }));
};
/** The same until the task ends, because a restarted terminal first writes what it had in memory. */
const keepSpoilt = async (path: string, before: string, outcome: Promise<AttemptOutcome>): Promise<void> => {
  let isOver = false;
  void outcome.finally(() => (isOver = true));
  while (!isOver) {
    const text = await read(path);
    if (text.includes(before) && !text.includes(ODD)) await spoil(path, before);
    await setTimeout(20);
  }
};

const LINE = `config/common.ini: ${UNKNOWN}`;
const open = async (options?: HostOptions) => {
  const terminal = await host.createTerminal(options);
  dataOf(await terminal.install());
  return { terminal, path: toPath(terminal, 'config/common.ini') };
};

test('a line of the settings that nobody knows is named by OPTIONS_AUTO_TRADE, of a terminal that runs and of one that does not', async () => {
  const { terminal, path } = await open();
  await terminal.driver.stop();
  await terminal.driver.restart();
  await spoil(path, '[Experts]');
  const change = (allow_algo_trading: number) => terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading });
  expect(dataOf(await change(1))).toMatchObject({ enabled: true, not_understood: [LINE] });
  await terminal.run(TaskType.ACCOUNT_LOGOUT);
  await spoil(path, '[Experts]');
  expect(dataOf(await change(0))).toMatchObject({ enabled: false, not_understood: [LINE] });
  expect(await read(path)).toContain(`${ODD}\r\n[Experts]\r\nEnabled=0\r\n`);
});

test('a line of the settings that nobody knows is named by OPTIONS_AUTO_TRADE also where the terminal does not confirm the switch', async () => {
  const faults = { algo_trading: true, switch_line: true };
  const { terminal, path } = await open({ faults, timing: { toggleMs: 1_000 } });
  dataOf(await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 }));
  const outcome = terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
  await keepSpoilt(path, '[Experts]', outcome);
  expect(lastOf(await outcome)).toMatchObject({ code: 'E_TIMEOUT', data: { not_understood: [LINE] } });
});

test('a line of the settings that nobody knows is named by ACCOUNT_LOGOUT, and stays where the account is taken out', async () => {
  const { terminal, path } = await open();
  dataOf(await terminal.run(TaskType.ACCOUNT_LOGOUT));
  await spoil(path, '[Experts]');
  await spoil(path, '[Common]');
  const outcome = dataOf(await terminal.run(TaskType.ACCOUNT_LOGOUT));
  expect(outcome).toEqual({ connected: false, not_understood: [LINE, LINE] });
  for (const section of ['[Experts]', '[Common]']) expect(await read(path)).toContain(`${ODD}\r\n${section}\r\n`);
  expect(await read(path)).not.toMatch(/^Login=/m);
});

test('a line of a chart that nobody knows is named by each task that changes charts, and stays', async () => {
  const terminal = await host.createTerminal();
  dataOf(await terminal.install());
  const install = (name: string, payload = {}) => {
    const file_id = terminal.files.add(name);
    return terminal.run(TaskType.EA_INSTALL, { name, symbol: 'EURUSD', period: 'H1', file_id, ...payload });
  };
  dataOf(await install('Kept'));
  expect(listUnknown(await install('Trend'))).toEqual([]);
  const path = toPath(terminal, 'MQL5/Profiles/Charts/Default/chart01.chr');
  await terminal.driver.stop();
  await spoil(path, '<expert>');
  await terminal.driver.restart();
  const line = `chart01.chr: ${UNKNOWN}`;
  expect(listUnknown(await install('Trend', { inputs: { Lots: 2 } }))).toEqual([line]);
  expect(listUnknown(await terminal.run(TaskType.EA_UPDATE, { name: 'Kept', inputs: { Lots: 3 } }))).toEqual([line]);
  expect(listUnknown(await terminal.run(TaskType.EA_REMOVE, { name: 'Trend' }))).toEqual([line]);
  expect(await read(path)).toContain(`${ODD}\r\n<expert>`);
});
