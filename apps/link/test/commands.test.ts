// @module-tag gxx
/** Commands: each acts once or not at all, whatever happens to the program, and whoever writes them. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT, BEGAN_MS, buildNative, LinkProcess, POSITION, type Variant } from './support/link-process.ts';

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

const DONE = { retcode: 10009, message: 'Done', order: '31', deal: '41' };
const { login, server } = ACCOUNT;

const start = async (variant: Variant = 'service', known = {}): Promise<void> => {
  link = await LinkProcess.start(folder, variant);
  link.know(known);
  await link.run(3000);
};

const toCommand = (id: string, more: Record<string, unknown> = {}) => ({
  v: 1,
  id,
  login,
  server,
  sent_at: new Date(BEGAN_MS).toISOString(),
  expires_at: new Date(BEGAN_MS + 3_600_000).toISOString(),
  action: 'close_position',
  ticket: POSITION.ticket,
  ...more,
});

const send = async (more: Record<string, unknown> = {}): Promise<string> => {
  const id = randomUUID();
  await link.write(`commands/${id}.json`, toCommand(id, more));
  return id;
};

const answer = (id: string) => link.read(`answers/${id}.json`);

/** Sends one, lets it be carried out, and reads its answer. */
const carryOut = async (more: Record<string, unknown> = {}, result: unknown = DONE) => {
  link.say(`answer ${JSON.stringify(result)}`);
  const id = await send(more);
  await link.run(200);
  return answer(id);
};

it('a command closes a position by its ticket in a hedging account, within a step, and its answer is kept', async () => {
  await start();
  link.say(`answer ${JSON.stringify(DONE)}`);
  const id = await send();
  await link.run(100);
  expect(link.listTrades()).toEqual([{ action: 'close', ticket: '11', volume: '0.10' }]);
  expect(await answer(id)).toEqual({ v: 1, id, at: expect.any(String) as string, ...DONE });
  expect(await link.listFiles('commands')).toEqual([]);
  await link.run(10_000);
  expect(await link.listFiles('answers')).toEqual([`${id}.json`]);
});

it('a command closes by the opposite deal in a netting account, and never more than there is', async () => {
  await start('service', { account: { margin_mode: 'netting' } });
  await carryOut({ volume: '0.04' });
  expect(link.listTrades()).toMatchObject([{ action: 'open', side: 'sell', symbol: 'EURUSD', volume: '0.04' }]);
  expect(await carryOut({ volume: '0.11' })).toMatchObject({ retcode: 10014 });
  expect(link.listTrades()).toHaveLength(1);
});

it('a command deletes a pending order, and says what is no longer there', async () => {
  await start();
  expect(await carryOut({ action: 'delete_order', ticket: '21' })).toMatchObject(DONE);
  expect(link.listTrades()).toEqual([{ action: 'delete', ticket: '21' }]);
  expect(await carryOut({ action: 'delete_order', ticket: '11' })).toMatchObject({ retcode: 10035 });
  expect(await carryOut({ ticket: '99' })).toMatchObject({ retcode: 10036 });
  expect(link.listTrades()).toHaveLength(1);
});

it.each([
  ['immediate or cancel', 2],
  ['fill or kill', 1],
  ['neither', 0],
])('a command fills as the symbol takes it: %s', async (_, filling) => {
  const symbols = [{ name: 'EURUSD', digits: 5, bid: '1', ask: '2', trade_mode: 4, filling }];
  await start('service', { symbols });
  expect(await carryOut()).toMatchObject({ retcode: 10009 });
});

it('a filling that the broker refuses gives way to another one, and nothing is sent twice', async () => {
  const symbols = [{ name: 'EURUSD', digits: 5, bid: '1', ask: '2', trade_mode: 4, filling: 3 }];
  await start('service', { symbols });
  link.say(`answer ${JSON.stringify({ retcode: 10030, message: 'no', order: null, deal: null })}`);
  expect(await carryOut()).toMatchObject({ retcode: 10009 });
  expect(link.listTrades()).toHaveLength(2);
});

it('a position that is larger than one order may be is closed in parts', async () => {
  const symbols = [{ name: 'EURUSD', digits: 5, bid: '1', ask: '2', trade_mode: 4, filling: 1, volume_max: '0.04' }];
  await start('service', { symbols });
  expect(await carryOut()).toMatchObject({ retcode: 10009 });
  expect(link.listTrades()).toEqual([expect.objectContaining({ action: 'close', volume: '0.04' })]);
});

it('a command closes two opposite positions by each other, and neither if one is gone', async () => {
  const other = { ...POSITION, ticket: '12', side: POSITION.side === 'buy' ? 'sell' : 'buy' };
  await start('service', { account: { positions: [POSITION, other] } });
  expect(await carryOut({ action: 'close_by', by: '12' })).toMatchObject({ retcode: 10009 });
  expect(link.listTrades()).toEqual([{ action: 'close_by', ticket: POSITION.ticket, by: '12' }]);
  expect(await carryOut({ action: 'close_by', by: '99' })).toMatchObject({ retcode: 10036 });
  expect(link.listTrades()).toHaveLength(1);
});

it('a command is not sent where trading is off: at the terminal, at the account, for the symbol, without a connection', async () => {
  const symbols = [{ name: 'EURUSD', digits: 5, bid: '1', ask: '2', trade_mode: 0, filling: 1 }];
  await start('service', { symbols });
  expect(await carryOut()).toMatchObject({ retcode: 10017 });
  for (const [known, retcode] of [
    [{ terminal: { trade_allowed: false } }, 10027],
    [{ account: { trading_allowed: false } }, 10026],
    [{ terminal: { connected: false } }, 10031],
  ] as const) {
    link.know(known);
    expect(await carryOut()).toMatchObject({ retcode });
  }
  expect(link.listTrades()).toEqual([]);
});

it('a command is not sent again whatever the broker answers, and silence is an outcome that has to be looked for', async () => {
  await start();
  for (const retcode of [10004, 10012, 10021, 10045]) {
    expect(await carryOut({}, { retcode, message: 'no', order: null, deal: null })).toMatchObject({ retcode });
  }
  const trades = link.listTrades().length;
  await link.run(10_000);
  expect(link.listTrades()).toHaveLength(trades);
  const id = await send();
  await link.run(200);
  expect(await answer(id)).toMatchObject({ retcode: 10012, order: null });
});

it('publishes the account between two commands of a broker that is slow', async () => {
  await start();
  link.say('slow 2000');
  for (let count = 0; count < 6; count += 1) {
    link.say(`answer ${JSON.stringify(DONE)}`);
    await send();
  }
  const before = (await link.account()).sequence;
  await link.run(12_500);
  expect(link.listTrades()).toHaveLength(6);
  // All six at once would take twelve seconds, in which nobody would hear of the account.
  expect((await link.account()).sequence).toBeGreaterThanOrEqual(before + 2);
});

it.each([
  ['another login', { login: '5002' }, 'another account'],
  ['another server', { server: 'Harbour-Live' }, 'another account'],
  ['an expired one', { expires_at: new Date(BEGAN_MS).toISOString() }, 'expired'],
  ['one without an expiry', { expires_at: undefined }, 'no expiry'],
  ['an expiry that is no time', { expires_at: '2026-13-45T99:00:00.000Z' }, 'no expiry'],
  ['an action that nobody knows', { action: 'open' }, 'unknown action'],
  ['a ticket that is none', { ticket: '-11' }, 'no ticket'],
  ['a ticket that is a number', { ticket: 11 }, 'no ticket'],
  ['a volume of nothing', { volume: '0.00' }, 'no volume'],
  ['a volume that is no number', { volume: 'nan' }, 'no volume'],
  ['another version', { v: 2 }, 'not understood'],
  ['the id of another', { id: randomUUID() }, 'another id'],
  ['something inside it', { more: { deep: [] } }, 'not understood'],
])('nothing is done for %s, and the answer says so', async (_, more, message) => {
  await start();
  expect(await carryOut(more)).toMatchObject({ retcode: 0, message, order: null, deal: null });
  expect(link.listTrades()).toEqual([]);
});

it('nothing is done before the account is synchronised', async () => {
  link = await LinkProcess.start(folder);
  link.know({});
  await link.run(100);
  expect(await carryOut()).toMatchObject({ retcode: 10031 });
  expect(link.listTrades()).toEqual([]);
});

it('nothing is done for hostile files, which do not keep it from the next command', async () => {
  await start();
  const commands = join(folder, 'Berth/commands');
  const long = randomUUID();
  await writeFile(join(commands, `${long}.json`), `{"v":1,${' '.repeat(1_000_000)}}`);
  await writeFile(join(commands, '..json'), '{}');
  await writeFile(join(commands, `${'A'.repeat(36)}.json`), '{}');
  for (const text of ['', '{', '[]', '{"v":1,"id":"\\u0000"}', '\ufeff{}', '{"v":1}{"v":1}', '\u0000'.repeat(64)]) {
    await writeFile(join(commands, `${randomUUID()}.json`), text);
  }
  await mkdir(join(commands, `${randomUUID()}.json`));
  const outside = join(folder, 'outside.json');
  const linked = randomUUID();
  await writeFile(outside, JSON.stringify(toCommand(linked)));
  await symlink(outside, join(commands, `${linked}.json`));
  await link.run(500);
  expect(link.listTrades()).toEqual([]);
  expect(await answer(long)).toMatchObject({ retcode: 0, message: 'not understood' });
  expect(await carryOut()).toMatchObject({ retcode: 10009 });
});

it('a command is done once also when its file comes back, before and after the answer was taken away', async () => {
  await start();
  link.say(`answer ${JSON.stringify(DONE)}`);
  const id = await send();
  await link.run(200);
  await link.write(`commands/${id}.json`, toCommand(id));
  await link.run(200);
  await rm(join(folder, `Berth/answers/${id}.json`));
  await link.write(`commands/${id}.json`, toCommand(id));
  await link.run(200);
  expect(link.listTrades()).toHaveLength(1);
  expect(await link.listFiles('commands')).toEqual([]);
});

it('a command is done once also after a restart', async () => {
  await start();
  link.say(`answer ${JSON.stringify(DONE)}`);
  const id = await send();
  await link.run(200);
  await link.kill();
  await start();
  await link.write(`commands/${id}.json`, toCommand(id));
  await link.run(500);
  expect(link.listTrades()).toEqual([]);
  expect(await answer(id)).toMatchObject(DONE);
});

it('a command is done once also when the program dies between the order and the answer: the next one says that it has to be looked for', async () => {
  await start();
  link.say('die');
  const id = await send();
  await link.run(200);
  expect(await link.ended).toBe(9);
  expect(link.listTrades()).toHaveLength(1);
  await start();
  expect(link.listTrades()).toEqual([]);
  expect(await answer(id)).toMatchObject({ retcode: 10012, order: null });
  expect(await link.listFiles('commands')).toEqual([]);
});

it('a command is done once where a service and an expert run: one of them takes it', async () => {
  await start();
  const expert = await LinkProcess.start(folder, 'expert');
  try {
    expert.know({});
    await expert.run(3000);
    for (const each of [link, expert]) each.say(`answer ${JSON.stringify(DONE)}`);
    const id = await send();
    await Promise.all([link.run(300), expert.run(300)]);
    expect([...link.listTrades(), ...expert.listTrades()]).toHaveLength(1);
    expect(await answer(id)).toMatchObject(DONE);
  } finally {
    await expert.kill();
  }
});

const refusing = { terminal: { refuses_services: true } };

it('a terminal that lets no service send orders has the expert send them, for the same command', async () => {
  await start('service', refusing);
  const expert = await LinkProcess.start(folder, 'expert');
  try {
    expert.know({});
    await expert.run(2000);
    expert.say(`answer ${JSON.stringify(DONE)}`);
    const id = await send();
    await link.run(200);
    await expert.run(1500);
    expect(await answer(id)).toMatchObject(DONE);
    await link.run(5000);
    expect(await answer(id)).toMatchObject(DONE);
  } finally {
    await expert.kill();
  }
});

it('a terminal that lets no service send orders and has no such expert, says what to do', async () => {
  await start('service', refusing);
  const id = await send();
  await link.run(6000);
  expect(await answer(id)).toMatchObject({
    retcode: 0,
    message: expect.stringContaining('BerthLinkOrders') as string,
  });
  expect(link.listTrades()).toEqual([]);
});

it('the program keeps 200 answers, and removes the oldest', async () => {
  await start();
  for (let round = 0; round < 22; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => send({ action: 'none' })));
    await link.run(200);
  }
  expect(await link.listFiles('answers')).toHaveLength(200);
});

describe('as MetaTrader 4', () => {
  it('an expert closes and deletes, and its errors are the codes of MQL5', async () => {
    await start('mt4');
    expect(await carryOut()).toMatchObject({ retcode: 10009, deal: null });
    expect(await carryOut({ action: 'delete_order', ticket: '21' })).toMatchObject({ retcode: 10009 });
    expect(link.listTrades()).toEqual([
      { action: 'close', ticket: '11', volume: '0.10' },
      { action: 'delete', ticket: '21' },
    ]);
    for (const retcode of [10004, 10018, 10021, 10045]) {
      expect(await carryOut({}, { retcode })).toMatchObject({ retcode });
    }
    expect(await carryOut({}, { retcode: 1 })).toMatchObject({ retcode: 10012 });
    expect(await carryOut({ ticket: '21' })).toMatchObject({ retcode: 10036 });
    expect(await carryOut({ volume: '5.00' })).toMatchObject({ retcode: 10014 });
  });

  it('an expert closes two opposite positions by each other, and a large one in parts', async () => {
    const other = { ...POSITION, ticket: '12', side: POSITION.side === 'buy' ? 'sell' : 'buy' };
    const symbols = [{ name: 'EURUSD', digits: 5, bid: '1', ask: '2', volume_max: '0.04' }];
    await start('mt4', { symbols, account: { positions: [POSITION, other], orders: [] } });
    expect(await carryOut({ action: 'close_by', by: '12' })).toMatchObject({ retcode: 10009 });
    expect(await carryOut()).toMatchObject({ retcode: 10009 });
    expect(link.listTrades()).toEqual([
      { action: 'close_by', ticket: '11', by: '12' },
      { action: 'close', ticket: '11', volume: '0.04' },
    ]);
  });
});
