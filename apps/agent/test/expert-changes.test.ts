/**
 * Experts on charts that are others than the files say: a terminal rewrites its charts when it stops, and what was done
 * by hand is in no file before.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

/** Longer than a line of the journal needs to be read. */
const RELOAD_MS = 10_000;
const LOADED = 'expert Rider (EURUSD,H1) loaded successfully';
const CHARTS = 'MQL5/Profiles/Charts/Default';
const ZERO_DIVIDE = "zero divide in 'SymbolInfo.mqh' (652,53)";

const host = useSandboxHost();

const toProgram = (...actions: object[]): string => JSON.stringify({ sandbox_expert: 1, actions });
const listPrograms = (terminal: TestTerminal) => readdirSync(join(host.toRoot(terminal), 'MQL5/Experts')).sort();
const readJournal = (terminal: TestTerminal): string => {
  const folder = join(host.toRoot(terminal), 'logs');
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf16le'))
    .join('');
};
const findPid = async (terminal: TestTerminal) => parseInt((await host.readRecord(terminal)).process?.id ?? '', 10);
/** The journal says the line again and again meanwhile: a start takes back what it said before. */
const whileSaying = async <Result>(terminal: TestTerminal, line: string, act: Promise<Result>): Promise<Result> => {
  const saying = setInterval(() => host.say(terminal, [line]), 100);
  return act.finally(() => clearInterval(saying));
};
const findStates = async ({ driver }: TestTerminal) =>
  ((await driver.lookAtCharts!()) ?? []).map(({ symbol, expert }) => [symbol, expert?.name, expert?.state]);

/** Writes into the file of a chart what the running terminal does not have there, as if its chart had been another one. */
const rewriteChart = (terminal: TestTerminal, symbol: string, from: string, to: string): void => {
  const folder = join(host.toRoot(terminal), CHARTS);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.chr'))) {
    const text = readFileSync(join(folder, file), 'utf16le');
    if (text.includes(`symbol=${symbol}`)) writeFileSync(join(folder, file), text.replaceAll(from, to), 'utf16le');
  }
};

test('an update of an expert that was taken off a chart by hand is done on the charts that have it', async () => {
  const terminal = await host.installTerminal();
  const first = dataOf(await terminal.installExpert());
  dataOf(await terminal.installExpert({ name: 'Other', symbol: 'GBPUSD' }));
  rewriteChart(terminal, 'GBPUSD', 'Other', 'Rider');
  const file_id = terminal.files.add('program two');
  const updated = dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider', file_id }));
  expect(updated.charts).toEqual([first.chart_id]);
  expect(updated.sha256).not.toBe(updated.old_sha256);
});

test('an update of an expert that was put on another chart by hand is proven there as well', async () => {
  const terminal = await host.installTerminal();
  const first = dataOf(await terminal.installExpert());
  const second = dataOf(await terminal.installExpert({ symbol: 'GBPUSD' }));
  rewriteChart(terminal, 'GBPUSD', 'Rider', 'Other');
  const file_id = terminal.files.add('program two');
  const updated = dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider', file_id }));
  expect(updated.charts).toEqual([first.chart_id, second.chart_id]);
});

test('a removal deletes the file of an expert that was put on a chart by hand, whatever its folder', async () => {
  const terminal = await host.installTerminal();
  dataOf(await terminal.installExpert({ name: 'Market\\Rider' }));
  rewriteChart(terminal, 'EURUSD', 'Rider', 'Other');
  dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider', delete_file: 1 }));
  expect(existsSync(join(host.toRoot(terminal), 'MQL5/Experts/Market/Rider.ex5'))).toBe(false);
  expect(await findStates(terminal)).toEqual([]);
});

test('a removal whose expert is loaded again at its place fails, also where no file has named its chart', async () => {
  const terminal = await host.installTerminal({ timing: { reloadMs: RELOAD_MS } });
  const pid = await host.getPid(terminal);
  host.say(terminal, [LOADED]);
  // Before the line has been read there is nothing to remove.
  let last: ReturnType<typeof lastOf> | undefined;
  while ((await findPid(terminal)) === pid) {
    last = lastOf(await whileSaying(terminal, LOADED, terminal.run(TaskType.EA_REMOVE, { name: 'Rider' })));
  }
  expect(last).toMatchObject({ ok: false, code: 'E_FILE', step: 'remove_expert' });
});

test('a removal by a path disturbs no expert of that name in another folder', async () => {
  const terminal = await host.installTerminal();
  dataOf(await terminal.installExpert({ name: 'Market\\Rider' }));
  const pid = await host.getPid(terminal);
  expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Other\\Rider' })).removed).toEqual([]);
  expect(await host.getPid(terminal)).toBe(pid);
});

test('a removal that failed is not taken for done by the next one', async () => {
  const terminal = await host.installTerminal({ timing: { reloadMs: RELOAD_MS } });
  dataOf(await terminal.installExpert());
  const outcome = await whileSaying(terminal, LOADED, terminal.run(TaskType.EA_REMOVE, { name: 'Rider' }));
  expect(lastOf(outcome)).toMatchObject({ ok: false, code: 'E_FILE' });
  expect((await host.readRecord(terminal)).removing).toBe(null);
  expect(listPrograms(terminal)).toContain('Rider.ex5');
});

test('an installation forgets a removal that was broken off: what is removed next must be there', async () => {
  const terminal = await host.installTerminal();
  dataOf(await terminal.installExpert());
  const ending = new AbortController();
  const outcome = terminal.run(TaskType.EA_REMOVE, { name: 'Rider' }, { signal: ending.signal });
  await waitFor(async () => (await host.readRecord(terminal)).removing === 'Rider', { what: 'the removal' });
  ending.abort();
  expect((await outcome).kind).toBe('failed');
  if (!terminal.driver.isAlive()) await terminal.driver.restart();
  dataOf(await terminal.installExpert({ inputs: { Lots: 2 } }));
  expect((await host.readRecord(terminal)).removing).toBe(null);
});

test('an installation of an expert whose code fails in a file that is called after symbols names the error, not the symbol', async () => {
  const terminal = await host.installTerminal({ timing: { expertSettleMs: 5_000, expertSpokenMs: 5_000 } });
  const last = lastOf(await terminal.installExpert({ program: toProgram({ after_seconds: 0, fail: ZERO_DIVIDE }) }));
  expect(last).toMatchObject({ ok: false, code: 'E_FILE' });
  expect(last.message).toContain(ZERO_DIVIDE);
});

test('an installation of an expert that is removed and loaded again, as by a change of account, is done', async () => {
  const terminal = await host.installTerminal({ timing: { expertSettleMs: 5_000, expertSpokenMs: 5_000 } });
  const outcome = terminal.installExpert({ program: toProgram({ after_seconds: 0, remove: true }) });
  await waitFor(() => readJournal(terminal).includes('expert Rider (EURUSD,H1) removed'), { what: 'the removal' });
  host.say(terminal, [LOADED]);
  expect(dataOf(await outcome)).toMatchObject({ chart_id: expect.any(String) as string });
});
