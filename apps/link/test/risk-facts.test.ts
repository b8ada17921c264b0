// @module-tag gxx
/** What risk rules need of the link program besides the account: cash, prices that come, permissions, experts away. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ACCOUNT,
  BEGAN_MS,
  buildNative,
  LinkProcess,
  POSITION,
  SYMBOLS,
  TERMINAL,
  toDeal,
} from './support/link-process.ts';
import type { Known, Variant } from './support/link-process.ts';

let folder: string;
let link: LinkProcess;

beforeAll(buildNative);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-link-'));
});
afterEach(async () => {
  await link.kill();
  await rm(folder, { recursive: true, force: true });
});

const start = async (known: Known = {}, variant: Variant = 'service'): Promise<void> => {
  link = await LinkProcess.start(folder, variant);
  link.know(known);
};
const deal = (ticket: number, more: object): void => link.say(`deal ${JSON.stringify(toDeal(ticket, { ...more }))}`);
const toTime = (afterMs: number): string => new Date(BEGAN_MS + afterMs).toISOString();

test('deposits, withdrawals and bonuses are in the file of the balance that they changed, and no trade is', async () => {
  await start();
  deal(901, { side: 'balance', profit: '10000.00' });
  deal(902, { profit: '12.50' });
  deal(903, { side: 'credit', profit: '500.00' });
  await link.run(2600);
  expect(await link.account()).toMatchObject({
    last_deal: '903',
    cash: { until: '903', flows: [{ ticket: '901', amount: '10000.00' }] },
  });
  link.know({ account: { balance: '6000.00' } });
  deal(904, { side: 'balance', profit: '-4000.00' });
  deal(905, { side: 'bonus', profit: '50.00' });
  await link.run(300);
  const flows = [
    { ticket: '905', amount: '50.00' },
    { ticket: '904', amount: '-4000.00' },
    { ticket: '901', amount: '10000.00' },
  ];
  expect(await link.account()).toMatchObject({ balance: '6000.00', last_deal: '905', cash: { until: '905', flows } });
});

test('the newest 32 deposits and withdrawals are told, however many there were', async () => {
  await start();
  for (let ticket = 1; ticket <= 40; ticket += 1) deal(ticket, { side: 'balance', profit: '1.00' });
  await link.run(2600);
  const { cash } = (await link.account()) as unknown as { cash: { flows: { ticket: string }[] } };
  expect(cash.flows.map(({ ticket }) => ticket)).toEqual(Array.from({ length: 32 }, (_, index) => String(40 - index)));
});

test('nothing is said about cash before the history is there', async () => {
  await start();
  await link.run(300);
  expect(await link.account()).toMatchObject({ is_synchronized: false, cash: null });
});

test('the file of the account says when a held symbol whose market is open last had a price', async () => {
  const at = (timeMs: number) => ({ symbols: [{ ...SYMBOLS[0], time_msc: timeMs }] });
  await start(at(1));
  await link.run(4_300);
  expect((await link.account()).last_tick_at).toBe(toTime(0));
  link.know(at(2));
  await link.run(300);
  expect((await link.account()).last_tick_at).toBe(toTime(4_000));
  await link.run(20_000);
  expect(await link.account()).toMatchObject({ last_tick_at: toTime(4_000), is_synchronized: true });
});

test.each<[string, Known]>([
  ['nothing is held', { account: { positions: [] } }],
  ['the session of the held symbol is over', { symbols: [{ ...SYMBOLS[0]!, sessions: [[0, 3_600]] }] }],
  ['trading in the held symbol is off', { symbols: [{ ...SYMBOLS[0]!, trade_mode: 0 }] }],
])('no price is waited for where %s', async (_, known) => {
  await start(known);
  await link.run(300);
  expect((await link.account()).last_tick_at).toBeNull();
});

test('a session that ends at midnight lasts until then', async () => {
  await start({
    symbols: [
      {
        ...SYMBOLS[0],
        sessions: [
          [0, 60],
          [3_600, 0],
        ],
      },
    ],
  });
  await link.run(300);
  expect((await link.account()).last_tick_at).toBe(toTime(0));
});

test.each<[string[], Known]>([
  [[], {}],
  [['terminal'], { terminal: { trade_allowed: false, program_trade_allowed: false } }],
  [['expert'], { terminal: { program_trade_allowed: false } }],
  [['broker'], { account: { experts_allowed: false } }],
  [['broker', 'password'], { account: { trading_allowed: false } }],
])('%j stands against orders, which is said before any is sent', async (denied, known) => {
  await start(known);
  await link.run(300);
  expect((await link.account()).trade_denied_by).toEqual(denied);
});

test('the file of the account says whether the terminal is connected, apart from whether it is synchronised', async () => {
  await start({ terminal: { connected: false } });
  await link.run(300);
  expect(await link.account()).toMatchObject({ connected: false, is_synchronized: false });
  link.know({});
  await link.run(300);
  expect(await link.account()).toMatchObject({ connected: true, is_synchronized: false });
});

const removeExperts = async (): Promise<unknown> => {
  const id = randomUUID();
  const { login, server } = ACCOUNT;
  const times = { sent_at: toTime(0), expires_at: toTime(3_600_000) };
  await link.write(`commands/${id}.json`, { v: 1, id, login, server, ...times, action: 'remove_experts' });
  await link.run(200);
  const { retcode, message } = await link.read(`answers/${id}.json`);
  return { retcode, message };
};

test('a chart with an expert is saved as a template and closed; charts without one, and its own, stay', async () => {
  const charts = [
    { id: '101', expert: 'Grid' },
    { id: '102', expert: '' },
    { id: '103', expert: 'BerthLinkOrders' },
    { id: '104', expert: 'BerthLinkOrders2' },
  ];
  await start({ charts });
  await link.run(3_000);
  expect(await removeExperts()).toEqual({ retcode: 10009, message: '2' });
  expect(link.list('chart ')).toEqual(['save 101 Berth-101', 'close 101', 'save 104 Berth-104', 'close 104']);
  link.know({ charts: charts.slice(1, 3) });
  expect(await removeExperts()).toEqual({ retcode: 10009, message: '0' });
});

test('experts are taken away where algo trading is off as well', async () => {
  await start({ charts: [{ id: '101', expert: 'Grid' }], terminal: { ...TERMINAL, trade_allowed: false } });
  await link.run(3_000);
  expect(await removeExperts()).toEqual({ retcode: 10009, message: '1' });
});

test('experts of MetaTrader 4 cannot be told, and stay', async () => {
  await start({ charts: [{ id: '101', expert: 'Grid' }], account: { positions: [POSITION] } }, 'mt4');
  await link.run(3_000);
  expect(await removeExperts()).toEqual({ retcode: 0, message: 'unknown action' });
});
