import { closeSync, fstatSync, openSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskType } from '@berth/contract';
import type { SandboxPhone } from '@berth/testing/bench';
import type { Figures, Goal } from '../goal.ts';
import { createActive, openPhone, startStack, type Stack } from '../stack.ts';
import { toQuantile } from '../statistics.ts';
import type { Wire } from '../wire.ts';

const TERMINALS = 20;
/** So many of them take screenshots without a pause, in the second half. */
const BUSY = 4;
/** Each is one breach at every terminal. */
const ROUNDS = 5;
/** Over so long the prices of a round fall, each at a moment of its own. */
const SPREAD_MS = 5_000;
const LOOK_MS = 250;
const LATEST_MS = 120_000;
/** What a round loses: 100.00 by the price, and costs. */
const MARGIN = 50;

interface Terminal {
  id: string;
  /** The link program's folder. */
  folder: string;
  phone: SandboxPhone;
}

/** What a terminal writes of its account. */
interface Written {
  sequence: number;
  equity: string;
  positions_total: number;
}

const get = async <Answer>(wire: Wire, path: string): Promise<Answer> =>
  JSON.parse((await wire.request('GET', path)).body) as Answer;

/** A file as it is now, and when it was written; undefined: there is none. */
const readNow = (path: string) => {
  try {
    const file = openSync(path, 'r');
    try {
      return { writtenAt: fstatSync(file).mtimeMs, ...(JSON.parse(readFileSync(file, 'utf8')) as Written) };
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
};

interface Reports {
  /** When the terminal wrote the first state that shows the breach; NaN: it was gone before it could be read. */
  writtenAt: number;
  close: () => void;
}

/** Follows the states that a terminal writes. */
const watchReports = (folder: string, floor: number): Reports => {
  let before: { sequence: number; isBreach: boolean } | undefined;
  const take = () => {
    const seen = readNow(join(folder, 'account.json'));
    if (!seen || seen.sequence === before?.sequence) return;
    const isBreach = Number(seen.equity) <= floor && seen.positions_total === 1;
    const isFirst = isBreach && before?.isBreach === false && seen.sequence === before.sequence + 1;
    if (isFirst) reports.writtenAt = seen.writtenAt;
    before = { sequence: seen.sequence, isBreach };
  };
  const watcher = watch(folder, (_, name) => void (name === 'account.json' && take()));
  const reports: Reports = { writtenAt: NaN, close: () => watcher.close() };
  take();
  return reports;
};

const runTask = async (wire: Wire, id: string, type: TaskType, payload: object): Promise<void> => {
  const path = `/v1/my/trading/terminals/${id}/tasks`;
  const { data } = await wire.post<{ data: { id: string } }>(path, { type, payload });
  for (;;) {
    const answer = await get<{ data: { task: { finished_at: string | null } } }>(wire, `${path}/${data.id}`);
    if (answer.data.task.finished_at !== null) return;
    await delay(LOOK_MS);
  }
};

const openTerminals = async (wire: Wire, stack: Stack): Promise<Terminal[]> => {
  for (let index = 0; index < TERMINALS; index += 1) await createActive(wire, index);
  const listed = await get<{ data: { id: string; login: string }[] }>(wire, '/v1/my/trading/terminals?per_page=100');
  const terminals: Terminal[] = [];
  for (const { id, login } of listed.data) {
    const { data } = await get<{ data: { path: string } }>(wire, `/v1/my/trading/terminals/${id}`);
    const phone = await openPhone(stack, login);
    await runTask(wire, id, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
    terminals.push({ id, phone, folder: join(data.path, 'MQL5/Files/Berth') });
  }
  return terminals;
};

const waitUntil = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const until = performance.now() + LATEST_MS;
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`${what}: not within ${LATEST_MS} ms`);
    await delay(LOOK_MS);
  }
};

/** Milliseconds of each breach. */
interface Times {
  /** From the state that shows it to the first deal that closes, at the broker. */
  fromReport: number[];
  /** From the decision to the first order, as its host says. */
  fromDecision: number[];
}

/** A position at each terminal, a rule for all, and prices that fall below its floor. */
const measureRound = async (wire: Wire, terminals: readonly Terminal[], times: Times): Promise<void> => {
  const trade = (phone: SandboxPhone, price: string) => phone.trade({ action: 'set_price', symbol: 'EURUSD', price });
  const floor = Math.min(...terminals.map(({ phone }) => Number(phone.state.balance))) - MARGIN;
  const settings = { kind: 'equity_floor', amount: floor.toFixed(2), all: true, actions: ['close_all'] };
  const { data: rule } = await wire.post<{ data: { id: string } }>('/v1/my/risk-rules', { name: 'Bench', ...settings });
  const path = `/v1/my/risk-rules/${rule.id}`;
  await waitUntil('rules that watch', async () => {
    const { data } = await get<{ data: { is_watched: boolean }[] }>(wire, `${path}/state?per_page=100`);
    return data.length === terminals.length && data.every(({ is_watched: isWatched }) => isWatched);
  });
  const watching = await Promise.all(
    terminals.map(async ({ phone, folder }) => {
      await trade(phone, '1.05000');
      await phone.trade({ action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.10' });
      const reports = watchReports(folder, floor);
      await delay(1_000 + Math.random() * SPREAD_MS);
      await trade(phone, '1.04000');
      return reports;
    }),
  );
  type Breach = { phase: string; first_order_ms: number | null };
  const list = () => get<{ data: Breach[] }>(wire, `/v1/my/risk-breaches?rule_id=${rule.id}&per_page=100`);
  await waitUntil('breaches that are carried out', async () => {
    const { data } = await list();
    return data.length === terminals.length && data.every(({ phase }) => phase === 'holding');
  });
  for (const [index, { writtenAt, close }] of watching.entries()) {
    const deal = (await terminals[index]?.phone.listDeals())?.at(-1);
    times.fromReport.push(Date.parse(deal?.at ?? '') - writtenAt);
    close();
  }
  times.fromDecision.push(...(await list()).data.map(({ first_order_ms: ms }) => ms ?? NaN));
  await wire.request('DELETE', path);
};

const toFigures = (what: string, { fromReport, fromDecision }: Times): Figures => {
  const quantiles = (name: string, all: readonly number[]): Figures => {
    const seen = all.filter((ms) => !Number.isNaN(ms));
    const shares = Object.entries({ p50: 0.5, p99: 0.99, longest: 1 });
    return Object.fromEntries(shares.map(([each, share]) => [`${what}: ms ${name}, ${each}`, toQuantile(seen, share)]));
  };
  return {
    ...quantiles('from the report to the first deal', fromReport),
    ...quantiles('from the decision to the first order', fromDecision),
    [`${what}: breaches`]: fromReport.length,
    [`${what}: breaches whose report was missed`]: fromReport.filter(Number.isNaN).length,
  };
};

const measureRounds = async (wire: Wire, terminals: readonly Terminal[]): Promise<Times> => {
  const times: Times = { fromReport: [], fromDecision: [] };
  for (let round = 0; round < ROUNDS; round += 1) await measureRound(wire, terminals, times);
  return times;
};

export const breaches: Goal = {
  id: '16',
  title: `from the report that shows a breach to the first order, at ${TERMINALS} sandbox terminals of one agent: idle, and while ${BUSY} take screenshots`,
  measure: async (bench) => {
    const stack = await startStack(bench);
    const wire = await stack.register('bench');
    const terminals = await openTerminals(wire, stack);
    const idle = await measureRounds(wire, terminals);
    let isBusy = true;
    const keepBusy = async ({ id }: Terminal): Promise<void> => {
      const own = wire.reopen();
      while (isBusy) await runTask(own, id, TaskType.SCREENSHOT, {});
      own.close();
    };
    const working = terminals.slice(0, BUSY).map(keepBusy);
    const busy = await measureRounds(wire, terminals);
    isBusy = false;
    await Promise.all(working);
    for (const { phone } of terminals) phone.close();
    wire.close();
    await stack.stop();
    return [{ ...toFigures('idle', idle), ...toFigures('busy', busy) }];
  },
  judge: (medians) =>
    ['idle', 'busy'].map((what) => ({
      what: `${what}: p99, ms`,
      value: medians[`${what}: ms from the report to the first deal, p99`] ?? NaN,
      goal: 500,
      moonshot: 150,
      direction: 'most',
    })),
};
