/** When an expert counts as installed: a line of its own shows that its code runs, and only silence is watched to the end. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { mt4Journal, mt5Journal } from '../src/platforms/metatrader/journal/journal-form.ts';
import { toDayFileName } from '../src/platforms/metatrader/journal/journal-line.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

const HOUR_MS = 3_600_000;

const host = useSandboxHost();

const install = (terminal: TestTerminal, payload: object = {}) =>
  terminal.installExpert({ name: 'Trend', period: 'M15', ...payload });
/** Appends to the day file of today as the terminal does. */
const say = (terminal: TestTerminal, folder: 'logs' | 'MQL5/Logs', source: string, message: string): void => {
  const path = join(host.toRoot(terminal), folder);
  mkdirSync(path, { recursive: true });
  const line = `XX\t0\t12:00:00.000\t${source}\t${message}\r\n`;
  appendFileSync(join(path, toDayFileName(new Date())), Buffer.from(line, 'utf16le'));
};
const readExpertsLog = (terminal: TestTerminal): string => {
  const path = join(host.toRoot(terminal), 'MQL5/Logs');
  return readdirSync(path)
    .map((file) => readFileSync(join(path, file), 'utf16le'))
    .join('');
};

test.each([false, true])(
  'an expert that has written a line of its own is not watched to the end (MetaTrader 4: %s)',
  async (isMt4) => {
    const terminal = await host.installTerminal({ isMt4, timing: { expertSettleMs: HOUR_MS } });
    expect(dataOf(await install(terminal))).toMatchObject({ chart_id: expect.any(String) as string });
    dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Trend', inputs: { Lots: 2 } }));
  },
);

test('an expert that has written none since the start is watched on: its symbol may be missing', async () => {
  const faults = { symbol_timeout_ms: 1_500 };
  const terminal = await host.installTerminal({ faults, timing: { expertSettleMs: HOUR_MS, expertSpokenMs: 1 } });
  say(terminal, 'MQL5/Logs', 'Trend (NOPE,M15)', 'of a former run');
  const findProcess = async () => (await host.readRecord(terminal)).process?.id;
  const former = await findProcess();
  const outcome = install(terminal, { symbol: 'NOPE' });
  await waitFor(async () => ![undefined, former].includes(await findProcess()), { what: 'the new start' });
  for (const source of ['Trend (NOPE,H1)', 'Trend (EURUSD,M15)', 'Trend 2 (NOPE,M15)', 'Scripts']) {
    say(terminal, 'MQL5/Logs', source, 'Trend (NOPE,M15)');
  }
  expect(lastOf(await outcome)).toMatchObject({ ok: false, code: 'E_SYMBOL' });
});

test('an expert that fails after its own line is not installed', async () => {
  const terminal = await host.installTerminal({ timing: { expertSettleMs: HOUR_MS, expertSpokenMs: HOUR_MS } });
  const outcome = install(terminal);
  await waitFor(() => readExpertsLog(terminal).includes('Trend (EURUSD,M15)'), { what: "the expert's own line" });
  say(terminal, 'logs', 'Experts', 'initializing of Trend (EURUSD,M15) failed with code 1');
  expect(lastOf(await outcome)).toMatchObject({ ok: false, code: 'E_FILE' });
});

const place = { name: 'Rider (b)', symbol: 'Volatility 75 (1s) Index', period: 'D1' };
const line = { level: 0, time: '00:00:00.000', source: '', message: 'x' };

test.each([
  ['Rider (b) (Volatility 75 (1s) Index,D1)', true],
  ['Rider (b) (Volatility 75 (1s) Index,Daily)', true],
  ['Rider (b) (Volatility 75 (1s) Index,H1)', false],
  ['Rider (b) (Volatility 75 Index,D1)', false],
  ['A Rider (b) (Volatility 75 (1s) Index,D1)', false],
  ['Rider (b)', false],
])("an expert's own line is identified by the source in MetaTrader 5: %s", (source, isOwn) => {
  expect(mt5Journal.isOfExpert({ ...line, source }, place)).toBe(isOwn);
});

test.each([1, 2])("an expert's own line is none of the terminal, which has level %i", (level) => {
  const source = 'Rider (b) (Volatility 75 (1s) Index,D1)';
  expect(mt5Journal.isOfExpert({ ...line, level, source }, place)).toBe(false);
  const message = 'Rider (b) Volatility 75 (1s) Index,D1: initialized';
  expect(mt4Journal.isOfExpert({ ...line, level, message }, place)).toBe(false);
});

test.each([
  ['Rider (b) Volatility 75 (1s) Index,D1: initialized', true],
  ['Rider (b) Volatility 75 (1s) Index,Daily: hello', true],
  // Written before the code runs, or when it ends.
  ['Rider (b) Volatility 75 (1s) Index,D1 inputs: Lots=1; ', false],
  ['Rider (b) Volatility 75 (1s) Index,D1: uninit reason 8', false],
  ['Rider (b) Volatility 75 (1s) Index,H1: initialized', false],
  ['Expert Rider (b) Volatility 75 (1s) Index,D1: loaded successfully', false],
])("an expert's own line is identified by its beginning in MetaTrader 4: %s", (message, isOwn) => {
  expect(mt4Journal.isOfExpert({ ...line, message }, place)).toBe(isOwn);
});
