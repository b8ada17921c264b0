/** How experts end: by an error of their code, which only their own log shows, by themselves, and by hand. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { describe, expect, test } from 'vitest';
import { toDayFileName } from '../src/platforms/metatrader/journal/journal-line.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

const HOUR_MS = 3_600_000;

const host = useSandboxHost();

/** A script of the sandbox as a program. */
const toProgram = (...actions: object[]): string => JSON.stringify({ sandbox_expert: 1, actions });
const look = async ({ driver }: TestTerminal) =>
  ((await driver.lookAtCharts!()) ?? []).flatMap(({ symbol, expert }) => (expert ? [{ symbol, ...expert }] : []));
const findStates = async (terminal: TestTerminal) =>
  Object.fromEntries((await look(terminal)).map(({ name, symbol, state }) => [`${name} ${symbol}`, state]));

interface Said {
  folder?: 'logs' | 'Logs';
  level?: number;
  source?: string;
}
const toTimeOfDay = (at: Date): string => {
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
};
/** Appends to the day file of today, as a terminal does. */
const say = (terminal: TestTerminal, isMt4: boolean, message: string, said: Said = {}): void => {
  const { folder = 'Logs', level = 0, source = '' } = said;
  const now = new Date();
  const time = toTimeOfDay(now);
  const root = host.toRoot(terminal, isMt4 ? 'mt4' : 'mt5');
  const path = folder === 'logs' ? join(root, 'logs') : join(root, isMt4 ? 'MQL4' : 'MQL5', 'Logs');
  mkdirSync(path, { recursive: true });
  const columns = isMt4 ? [level, time, message] : ['QL', level, time, source, message];
  const bytes = Buffer.from(`${columns.join('\t')}\r\n`, isMt4 ? 'utf8' : 'utf16le');
  appendFileSync(join(path, toDayFileName(now)), bytes);
};

const ZERO_DIVIDE = "zero divide in 'Rider.mq5' (652,53)";
const OUT_OF_RANGE = "array out of range in 'Rider.mq4' (2668,41)";

describe.each([
  ['MetaTrader 5', false, ZERO_DIVIDE],
  ['MetaTrader 4', true, OUT_OF_RANGE],
])('on %s an expert', (_, isMt4, error) => {
  const sayOf = (terminal: TestTerminal, place: string, message: string, level: number) =>
    isMt4
      ? say(terminal, true, `Rider ${place}: ${message}`, { level })
      : say(terminal, false, message, { level, source: `Rider (${place})` });
  const level = isMt4 ? 1 : 2;

  test('an expert whose code fails while it is installed is not installed, and the task names the line', async () => {
    const terminal = await host.installTerminal({
      isMt4,
      timing: { expertSettleMs: HOUR_MS, expertSpokenMs: HOUR_MS },
    });
    const program = toProgram({ after_seconds: 0, fail: error });
    const last = lastOf(await terminal.installExpert({ program }));
    expect(last).toMatchObject({ ok: false, code: 'E_FILE' });
    expect(last.message).toContain(`Rider was loaded on EURUSD,H1 and ended with an error: ${error}.`);
    expect(await look(terminal)).toEqual([]);
  });

  test('an expert whose code fails later is failed, with the line, until it is loaded again', async () => {
    const terminal = await host.installTerminal({ isMt4 });
    dataOf(await terminal.installExpert());
    dataOf(await terminal.installExpert({ symbol: 'GBPUSD' }));
    sayOf(terminal, 'EURUSD,H1', error, 0);
    sayOf(terminal, 'USDJPY,H1', error, level);
    sayOf(terminal, 'EURUSD,H1', 'a warning', level);
    sayOf(terminal, 'GBPUSD,H1', error, level);
    await waitFor(async () => (await findStates(terminal))['Rider GBPUSD'] === 'failed', { what: 'the failure' });
    expect(await findStates(terminal)).toEqual({ 'Rider EURUSD': 'running', 'Rider GBPUSD': 'failed' });
    const failed = (await look(terminal)).find(({ state }) => state === 'failed');
    expect(failed?.line).toBe(error);

    await host.reopen(terminal, { isMt4 });
    expect(await terminal.driver.reattach()).toBe(true);
    expect(await findStates(terminal)).toEqual({ 'Rider EURUSD': 'running', 'Rider GBPUSD': 'failed' });

    dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider', inputs: { Lots: 2 } }));
    expect(await findStates(terminal)).toEqual({ 'Rider EURUSD': 'running', 'Rider GBPUSD': 'running' });
    await host.reopen(terminal, { isMt4 });
    expect(await terminal.driver.reattach()).toBe(true);
    expect((await look(terminal)).map(({ state, line = null }) => [state, line])).toEqual([
      ['running', null],
      ['running', null],
    ]);
  });

  test('an expert whose code has failed is loaded again by an update that changes nothing', async () => {
    const terminal = await host.installTerminal({ isMt4 });
    const { chart_id } = dataOf(await terminal.installExpert({ inputs: { Lots: 1 } }));
    sayOf(terminal, 'EURUSD,H1', error, level);
    await waitFor(async () => (await findStates(terminal))['Rider EURUSD'] === 'failed', { what: 'the failure' });
    const pid = await host.getPid(terminal);
    dataOf(await terminal.run(TaskType.EA_UPDATE, { chart_id, inputs: { Lots: 1 } }));
    expect(await host.getPid(terminal)).not.toBe(pid);
    expect(await findStates(terminal)).toEqual({ 'Rider EURUSD': 'running' });
  });

  test('an expert that removes itself while it is installed is said to have ended by itself, with its last lines', async () => {
    const terminal = await host.installTerminal({ isMt4, timing: { expertSettleMs: HOUR_MS, expertSpokenMs: 500 } });
    const text = "cannot load 'Bridge.dll' [126]";
    const program = toProgram({ after_seconds: 0, print: { text, level } }, { after_seconds: 0, remove: true });
    const last = lastOf(await terminal.installExpert({ program }));
    expect(last).toMatchObject({ ok: false, code: 'E_FILE' });
    expect(last.message).toContain('Rider was loaded on EURUSD,H1 and ended by itself.');
    expect(last.message).toContain(text);
  });
});
