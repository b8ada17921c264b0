// @module-tag gxx
/** What the link program publishes: its MQL source itself, compiled as C++ and run against accounts that are told to it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ACCOUNT, BEGAN_MS, buildNative, LinkProcess, ORDER, POSITION, TERMINAL } from './support/link-process.ts';

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

it('the file of the account has everything that was agreed, in UTC, whatever the zone of the server is', async () => {
  link = await LinkProcess.start(folder);
  link.know({ terminal: { server_offset_seconds: 10_800 } });
  link.say(`deal ${JSON.stringify({ ticket: '901', at: '2026-11-27T07:00:00.000Z' })}`);
  await link.run(2600);
  const { at, sequence, ...file } = await link.account();
  expect(sequence).toBeGreaterThan(1);
  expect(Date.parse(at)).toBeGreaterThan(BEGAN_MS);
  const { login, server, ...account } = ACCOUNT;
  expect(file).toEqual({
    v: 1,
    program: '1.2.0',
    kind: 'service',
    login,
    server,
    build: TERMINAL.build,
    connected: true,
    is_synchronized: true,
    ...account,
    trade_denied_by: [],
    last_tick_at: new Date(BEGAN_MS).toISOString(),
    positions_total: 1,
    orders_total: 1,
    deals_total: 1,
    last_deal: '901',
    cash: { until: '901', flows: [] },
  });
  expect(file.positions).toEqual([POSITION]);
  expect(file.orders).toEqual([ORDER]);
});

it('the file of the account is written beside its place, flushed, closed and moved over the former one, each time', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(6000);
  const steps = link.list('file ');
  const moves = steps.flatMap((step, at) => (step === 'move Berth\\account.json' ? [at] : []));
  expect(moves.length).toBeGreaterThan(1);
  for (const at of moves) {
    expect(steps.slice(at - 3, at)).toEqual(['open Berth\\account.json.tmp', 'flush ', 'close ']);
  }
});

it('the file of the account escapes what brokers and experts write, keeps every character, and cuts a comment that has no end', async () => {
  const comment = 'say "no" \\ \u0001\t€ \u{1F6A2} ä';
  link = await LinkProcess.start(folder);
  link.know({
    account: {
      positions: [{ ...POSITION, comment, symbol: 'Volatility 75 (1s) "Index"' }],
      orders: [{ ...ORDER, comment: 'x'.repeat(5000) }],
    },
  });
  await link.run(300);
  const { positions, orders } = await link.account();
  expect(positions[0]).toMatchObject({ comment, symbol: 'Volatility 75 (1s) "Index"' });
  expect((orders as { comment: string }[])[0]?.comment).toHaveLength(64);
});

it('the file of the account has no number that is none: what is not finite, or beyond all money, is null', async () => {
  link = await LinkProcess.start(folder);
  link.know({ account: { balance: '1e308', equity: 'nan', profit: '-inf' } });
  await link.run(300);
  expect(await link.account()).toMatchObject({ balance: null, equity: null, profit: null, credit: '0.00' });
});

it('the file of the account stays within what a reader takes, and says how many positions and orders there are', async () => {
  const comment = '\u4e2d'.repeat(60);
  const positions = Array.from({ length: 1500 }, (_, index) => ({ ...POSITION, ticket: String(index + 1), comment }));
  const orders = Array.from({ length: 1200 }, (_, index) => ({ ...ORDER, ticket: String(index + 5000) }));
  link = await LinkProcess.start(folder);
  link.know({ account: { positions, orders } });
  await link.run(300);
  const file = await link.account();
  expect((await readFile(join(folder, 'Berth/account.json'))).length).toBeLessThan(256 * 1024);
  expect(file).toMatchObject({ positions_total: 1500, orders_total: 1200 });
  expect(file.positions.length).toBeGreaterThan(400);
  expect((file.orders as unknown[]).length).toBeGreaterThan(100);
});

/** The numbers that were published while time passed in steps. */
const listSequences = async (total: number, step: number, change: (at: number) => void): Promise<number[]> => {
  const seen = new Set<number>();
  for (let at = 0; at < total; at += step) {
    change(at);
    await link.run(step);
    seen.add((await link.account()).sequence);
  }
  return [...seen];
};

it('the pace is four times a second at most while prices move, and once in five seconds while nothing does', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  const moving = await listSequences(2000, 100, (at) => link.know({ account: { equity: `${10_000 + at}.00` } }));
  expect(moving.length).toBeGreaterThanOrEqual(6);
  expect(moving.length).toBeLessThanOrEqual(9);
  expect([4, 5]).toContain((await listSequences(20_000, 500, () => undefined)).length);
});

it('the pace does not wait after a trade: the next step publishes it, and a changed stop comes with the next price', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  link.know({ account: { equity: '9990.00' } });
  await link.run(300);
  link.know({ account: { positions: [], equity: '9990.00' } });
  await link.run(100);
  expect((await link.account()).positions).toEqual([]);
  link.know({ account: { positions: [{ ...POSITION, stop_loss: '1.04000' }], equity: '9990.00' } });
  await link.run(100);
  link.know({ account: { positions: [{ ...POSITION, stop_loss: '1.04500' }], equity: '9990.00' } });
  await link.run(300);
  expect((await link.account()).positions[0]).toMatchObject({ stop_loss: '1.04500' });
});

it('the pace does not depend on the clock of the machine, which may be set back', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  const before = await link.account();
  link.say('clock -3600000');
  link.know({ account: { equity: '9990.00' } });
  await link.run(300);
  const after = await link.account();
  expect(after).toMatchObject({ equity: '9990.00', is_synchronized: true });
  expect(after.sequence).toBeGreaterThan(before.sequence);
});

it('the pace counts on where the last program ended, and from 1 where its file is rubbish', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  const before = (await link.account()).sequence;
  await link.kill();
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(300);
  expect((await link.account()).sequence).toBeGreaterThan(before);
  await link.kill();
  await writeFile(join(folder, 'Berth/account.json'), '{"sequence":99999999999999999999999');
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(300);
  expect((await link.account()).sequence).toBe(1);
});

const isSynchronized = async (): Promise<boolean> => (await link.account()).is_synchronized;

it('an account counts as synchronised only after it has been connected and without a trade for two seconds, and not while it is lost', async () => {
  link = await LinkProcess.start(folder);
  link.know({ account: null });
  await link.run(3000);
  expect(await link.account()).toMatchObject({ login: '0', is_synchronized: false });
  link.know({ account: { positions: [] } });
  await link.run(1900);
  // The terminal is still loading the account.
  link.know({});
  await link.run(1900);
  expect(await isSynchronized()).toBe(false);
  await link.run(400);
  expect(await isSynchronized()).toBe(true);
  link.know({ terminal: { connected: false } });
  await link.run(300);
  expect(await isSynchronized()).toBe(false);
  link.know({});
  await link.run(1000);
  expect(await isSynchronized()).toBe(false);
  await link.run(1500);
  expect(await isSynchronized()).toBe(true);
});

it('an account counts as synchronised anew when another one is logged in, in the very file that first names it', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  expect(await isSynchronized()).toBe(true);
  link.know({ account: { login: '5002', balance: '5.00' } });
  await link.run(100);
  expect(await link.account()).toMatchObject({
    login: '5002',
    is_synchronized: false,
    balance: '5.00',
    last_deal: null,
  });
});

it('an account counts as synchronised and stays so while it trades', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(3000);
  link.know({ account: { positions: [], balance: '10001.00' } });
  await link.run(100);
  expect(await link.account()).toMatchObject({ is_synchronized: true, positions_total: 0 });
});

it('publishes once where a service and an expert run in one terminal, and the expert takes over when the service ends', async () => {
  const service = (link = await LinkProcess.start(folder));
  const expert = await LinkProcess.start(folder, 'expert');
  try {
    for (const each of [service, expert]) {
      each.know({});
      await each.run(3000);
    }
    expect(await service.account()).toMatchObject({ kind: 'service' });
    expect(expert.list('file ').filter((step) => step.endsWith('account.json'))).toEqual([]);
    await service.kill();
    await expert.run(1500);
    expect(await expert.account()).toMatchObject({ kind: 'expert', is_synchronized: true });
  } finally {
    await expert.kill();
  }
});

it('as MetaTrader 4, an expert tells account, positions and orders, and no deals', async () => {
  link = await LinkProcess.start(folder, 'mt4');
  link.know({});
  await link.run(3000);
  const { opened_at: _, ...position } = POSITION;
  const { login, server, positions: _positions, orders: _orders, ...account } = ACCOUNT;
  const file = await link.account();
  expect(file).toMatchObject({ ...account, login, server, kind: 'expert', deals_total: 0, last_deal: null });
  expect(file.positions).toEqual([{ ...position, opened_at: '2026-11-27T07:00:00.000Z' }]);
  expect(file.orders).toEqual([ORDER]);
  expect(file).toMatchObject({ positions_total: 1, orders_total: 1, is_synchronized: true });
});
