/** What a terminal says of its account: believed only as far as it is of the right kind. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAccount, readAnswer, readDeals } from '../src/account/exchange-files.ts';
import { isCurrent, WatchedAccount } from '../src/account/watched-account.ts';
import { AccountFolder, toAccountFile, toDeal, toPosition } from './support/account-folder.ts';

const toBytes = (content: unknown): Buffer =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));

test('an honest state is read as it is', () => {
  const file = toAccountFile();
  const { v: _v, program: _p, kind: _k, build: _b, deals_total: _d, ...state } = file;
  expect(readAccount(toBytes({ ...file, more: 'of a later version' }))).toEqual(state);
});

test.each([
  ['no JSON', '{"v":1'],
  ['another version', toAccountFile({ v: 2 })],
  ['a balance of 1e308', toAccountFile({ balance: '1e308' })],
  ['NaN', toAccountFile({ equity: 'NaN' })],
  ['a float where cents are meant', toAccountFile({ balance: 9999.7 })],
  ['more digits than an account has', toAccountFile({ balance: '9'.repeat(16) })],
  ['a sequence beyond integers', toAccountFile({ sequence: 2 ** 53 })],
  ['a negative sequence', toAccountFile({ sequence: -1 })],
  ['a time that is none', toAccountFile({ at: '2026-13-45T99:00:00.000Z' })],
  ['a list that hides positions', toAccountFile({ positions_total: 3 })],
  ['a position twice', toAccountFile({ positions: [toPosition('2'), toPosition('2')] })],
  [
    'a thousand and one positions',
    toAccountFile({ positions: Array.from({ length: 1001 }, (_, at) => toPosition(`${at}`)) }),
  ],
  ['a position of text', toAccountFile({ positions: ['2'] })],
  ['a comment of two lines', toAccountFile({ positions: [toPosition('2', { comment: 'a\nb' })] })],
  ['a ticket of a path', toAccountFile({ positions: [toPosition('../2')] })],
  ['a side that is none', toAccountFile({ positions: [toPosition('2', { side: '__proto__' })] })],
])('%s is no state', (_, content) => {
  expect(readAccount(toBytes(content))).toEqual(expect.any(String));
});

const risk = {
  connected: true,
  last_tick_at: null,
  trade_denied_by: ['broker', 'password'],
  cash: { until: '12', flows: [{ ticket: '12', amount: '-40.00' }] },
};

test('what is said for risk rules is read where it is there, and all of it is right', () => {
  expect(readAccount(toBytes(toAccountFile(risk)))).toMatchObject({ risk });
  expect(readAccount(toBytes(toAccountFile({ ...risk, cash: null })))).toMatchObject({ risk: { ...risk, cash: null } });
  expect(readAccount(toBytes(toAccountFile({ connected: false, trade_denied_by: [] })))).toMatchObject({
    risk: { connected: false, last_tick_at: null, cash: null },
  });
});

const toFlows = (...flows: object[]) => toAccountFile({ ...risk, cash: { until: '12', flows } });
test.each([
  ['a connection of text', toAccountFile({ ...risk, connected: 'yes' })],
  ['a denial that is none', toAccountFile({ ...risk, trade_denied_by: ['__proto__'] })],
  ['denials without end', toAccountFile({ ...risk, trade_denied_by: Array(100).fill('broker') })],
  ['a tick at a time that is none', toAccountFile({ ...risk, last_tick_at: 'soon' })],
  ['cash of text', toAccountFile({ ...risk, cash: 'all' })],
  ['cash until a deal that is none', toAccountFile({ ...risk, cash: { until: 12, flows: [] } })],
  ['an amount of 1e308', toFlows({ ticket: '1', amount: '1e308' })],
  ['an amount that is a float', toFlows({ ticket: '1', amount: 5000 })],
  ['a ticket beyond numbers', toFlows({ ticket: '9'.repeat(40), amount: '1.00' })],
  ['a deposit twice', toFlows({ ticket: '1', amount: '1.00' }, { ticket: '1', amount: '1.00' })],
  ['deposits without end', toFlows(...Array.from({ length: 65 }, (_, at) => ({ ticket: `${at}`, amount: '1.00' })))],
])('a state with %s is none', (_, content) => {
  expect(readAccount(toBytes(content))).toEqual(expect.any(String));
});

test('deals come in the order of their tickets, after the one that was asked for, and are of the right kind', () => {
  const toFile = (after: string | null, ...deals: object[]) =>
    toBytes({
      ...{ v: 1, login: '5001', server: 'S', sequence: 1, after, is_complete: true },
      ...{ complete_until: '2026-06-10T12:00:00.000Z', deals },
    });
  expect(readDeals(toFile('1', toDeal(2), toDeal(3)))).toMatchObject({ deals: [{ ticket: '2' }, { ticket: '3' }] });
  expect(readDeals(toFile(null, toDeal(0)))).toMatchObject({ deals: [{ ticket: '0' }] });
  expect(readDeals(toFile('2', toDeal(2)))).toContain('do not rise');
  expect(readDeals(toFile('1', toDeal(3), toDeal(2)))).toContain('do not rise');
  expect(readDeals(toFile('1', toDeal(2, { profit: '1e9' })))).toBe('deals[0].profit');
});

const toDealsFile = (deal: object) =>
  toBytes({
    ...{ v: 1, login: '5001', server: 'S', sequence: 1, after: null, is_complete: true },
    ...{ complete_until: '2026-06-10T12:00:00.000Z', deals: [deal] },
  });

test('a deal has what newer link programs say besides, and is one without it', () => {
  const facts = { type: 'dividend', fee: '-0.10', out_by: 'stop_out' };
  expect(readDeals(toDealsFile(toDeal(2, facts)))).toMatchObject({ deals: [facts] });
  expect(readDeals(toDealsFile(toDeal(2, { ...facts, out_by: null })))).toMatchObject({ deals: [{ out_by: null }] });
  const { deals } = JSON.parse(JSON.stringify(readDeals(toDealsFile(toDeal(2))))) as { deals: object[] };
  expect(deals).toEqual([toDeal(2)]);
});

test.each([
  ['type', { type: 'gift' }],
  ['type', { type: null }],
  ['fee', { fee: -0.1 }],
  ['fee', { fee: null }],
  ['out_by', { out_by: '__proto__' }],
])('a deal whose %s is not of its kind is none: %j', (name, changes) => {
  expect(readDeals(toDealsFile(toDeal(2, changes)))).toBe(`deals[0].${name}`);
});

test('an answer is one to the very command', () => {
  const answer = { v: 1, id: 'a', at: '2026-06-10T12:00:00Z', retcode: 10009, message: 'Done', order: '1', deal: null };
  expect(readAnswer(toBytes(answer), 'a')).toEqual({ retcode: 10009, message: 'Done', order: '1', deal: null });
  expect(readAnswer(toBytes(answer), 'b')).toBeUndefined();
  expect(readAnswer(toBytes({ ...answer, retcode: '10009' }), 'a')).toBeUndefined();
});

describe('a folder', () => {
  let folder: AccountFolder;
  let elapsed: number;
  let account: WatchedAccount;
  beforeEach(() => {
    folder = new AccountFolder();
    elapsed = 0;
    account = new WatchedAccount('t', { now: () => Date.now(), elapsedMs: () => elapsed });
  });
  afterEach(async () => {
    await account.close();
    folder.close();
  });
  const look = () => account.lookAtAccount(folder.exchange);

  test('a folder is read once for each change, and each state grows old', async () => {
    expect(await look()).toBeUndefined();
    folder.write('account.json', toAccountFile());
    expect(await look()).toMatchObject({ state: { sequence: 1 } });
    expect(await look()).toBeUndefined();
    expect(isCurrent(account.seen!, elapsed)).toBe(true);
    elapsed += 15_001;
    expect(isCurrent(account.seen!, elapsed)).toBe(false);
  });

  test('a folder has old numbers from the beginning where the terminal wrote them long ago, or was not synchronised', async () => {
    folder.write('account.json', toAccountFile({ at: '2026-01-01T00:00:00.000Z' }));
    await look();
    expect(isCurrent(account.seen!, elapsed)).toBe(false);
    folder.write('account.json', toAccountFile({ sequence: 2, is_synchronized: false }));
    await look();
    expect(isCurrent(account.seen!, elapsed)).toBe(false);
  });

  test('a folder is not believed about another account, and a sequence that does not rise not before the last state is old', async () => {
    folder.write('account.json', toAccountFile({ login: '5002' }));
    expect(await look()).toBe('account.json is about another account');
    folder.write('account.json', toAccountFile({ sequence: 7, login: '005001', server: 'test-DEMO' }));
    expect(await look()).toMatchObject({ state: { sequence: 7 } });
    folder.write('account.json', toAccountFile({ sequence: 7, login: '005001', server: 'test-DEMO', balance: '1.00' }));
    expect(await look()).toBe('account.json: sequence does not rise');
    elapsed += 15_001;
    folder.write('account.json', toAccountFile({ sequence: 1, login: '005001', server: 'test-DEMO' }));
    expect(await look()).toMatchObject({ state: { sequence: 1 } });
    folder.own = null;
    folder.write('account.json', toAccountFile({ sequence: 8 }));
    expect(await look()).toBe('account.json is about another account');
  });

  test('a folder is not left through links, and gigabytes are not read', async () => {
    const secret = join(folder.folder, 'secret.json');
    writeFileSync(secret, JSON.stringify(toAccountFile()));
    symlinkSync(secret, join(folder.path, 'account.json'));
    await expect(look()).rejects.toThrow('is not what it should be');
    folder.write('account.json', 'x'.repeat(256 * 1024 + 1));
    await expect(look()).rejects.toThrow('larger than');
    folder.write('account.json', toAccountFile());
    expect(await look()).toMatchObject({ state: { sequence: 1 } });
  });

  test('a folder may be replaced by another one', async () => {
    folder.write('account.json', toAccountFile());
    await look();
    const { path } = folder;
    renameSync(path, `${path}-before`);
    mkdirSync(path);
    folder.write('account.json', toAccountFile({ sequence: 2 }));
    let seen = await look();
    for (let looks = 0; looks < 100 && !seen; looks += 1) seen = await look();
    expect(seen).toMatchObject({ state: { sequence: 2 } });
  });
});
