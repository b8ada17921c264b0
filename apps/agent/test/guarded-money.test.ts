/** What a guard counts, from the file of a terminal and the words of the server to what its rules decide. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, systemTiming } from '@berth/kit';
import type { GuardRule } from '@berth/contract/agent';
import { toAccountState } from '@berth/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAccount, type WrittenAccount } from '../src/account/exchange-files.ts';
import { toNumbers } from '../src/host/risk-numbers.ts';
import { GuardedTerminal } from '../src/risk/guarded-terminal.ts';
import { RiskGuard } from '../src/risk/risk-guard.ts';
import { openRiskStore } from '../src/risk/risk-store.ts';
import { readRiskRules } from '../src/server/server-answers.ts';
import { toAccountFile } from './support/account-folder.ts';
import { noActions } from './support/guard-world.ts';

const TERMINAL = randomUUID();
const ACCOUNT = { login: '5001', server: 'Harbour-Demo' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-guard-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const toRule = (changes: Partial<GuardRule>): GuardRule => ({
  ...{ id: randomUUID(), kind: 'max_drawdown', amount: '500', percent: null, basis: 'higher', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['lock'], ...changes },
});

/** A guard with what it has on its disk. It is never run, so it decides and does nothing. */
const reopen = async (path: string, now: () => number = Date.now): Promise<RiskGuard> =>
  RiskGuard.open({
    store: await openRiskStore(path),
    actions: noActions,
    timing: { ...systemTiming, clock: { now } },
    elapsedMs: now,
    createId: randomUUID,
    log: createLogger({ name: 'guard', level: 'silent' }),
  });
const toRules = (rules: GuardRule[], about: object = {}) => {
  const terminal = { terminal_id: TERMINAL, ...ACCOUNT, ...about, rules: rules.map((_, index) => ({ index })) };
  return { risk_version: 1, rules, terminals: [terminal] };
};
/** One that has these rules from its server. */
const openGuard = async (rules: GuardRule[], about: object = {}): Promise<RiskGuard> => {
  const guard = await reopen(join(folder, randomUUID()));
  await guard.setRules(toRules(rules, about));
  return guard;
};
const show = (guard: RiskGuard, changes: Parameters<typeof toAccountState>[0]): void =>
  guard.note(TERMINAL, toNumbers({ ...ACCOUNT, ...toAccountState(changes) }));
/** What is new to the server. */
const takeNews = (guard: RiskGuard) => {
  const { breaches = [], warnings = [], states = [] } = guard.news.take() ?? {};
  return { breaches: breaches.map(({ value }) => value), warnings, blind: states.map(({ blind }) => blind) };
};

test('credit in the numbers of a terminal is no part of what its rules count', async () => {
  const guard = await openGuard([toRule({})]);
  show(guard, { balance: '10000.00', equity: '12000.00', credit: '2000.00' });
  show(guard, { balance: '10000.00', equity: '10000.00', credit: '0.00' });
  expect(takeNews(guard)).toEqual({ breaches: [], warnings: [], blind: [null] });
  show(guard, { balance: '10000.00', equity: '9500.00', credit: '0.00' });
  expect(takeNews(guard).breaches).toEqual(['9500.00']);
});

test('a deposit and a withdrawal move a limit of 3%, with a restart after each, and a loss alone reaches it', async () => {
  const rules = toRules([toRule({ kind: 'daily_loss', amount: null, percent: '3', basis: 'equity' })]);
  const path = join(folder, randomUUID());
  let nowMs = Date.UTC(2026, 10, 23);
  const withdrawal = { ticket: '12', amount: '-4000.00' };
  const deposit = { ticket: '11', amount: '5000.00' };
  let guard = await reopen(path, () => nowMs);
  await guard.setRules(rules);
  /** The terminal writes its file a second later. @returns the breaches that are news */
  const see = (balance: string, equity: string, lastDeal: string): string[] => {
    nowMs += 1_000;
    const flows = [withdrawal, deposit].filter(({ ticket }) => Number(ticket) <= Number(lastDeal));
    const cash = { until: lastDeal, flows };
    const more = { ...ACCOUNT, balance, equity, last_deal: lastDeal, cash, connected: true, trade_denied_by: [] };
    guard.note(TERMINAL, toNumbers(readAccount(Buffer.from(JSON.stringify(toAccountFile(more)))) as WrittenAccount));
    return (guard.news.take()?.breaches ?? []).map(({ value, limit }) => `${value}/${limit}`);
  };
  const restart = async (): Promise<void> => {
    // What changed is on the disk when this resolves.
    await guard.setRules(rules);
    guard = await reopen(path, () => nowMs);
  };
  see('10000.00', '10000.00', '10');
  expect(see('10000.00', '9800.00', '10')).toEqual([]);
  await restart();
  expect(see('15000.00', '14800.00', '11')).toEqual([]);
  await restart();
  expect(see('11000.00', '10800.00', '12')).toEqual([]);
  await restart();
  expect(see('11000.00', '10670.01', '12')).toEqual([]);
  expect(see('11000.00', '10670.00', '12')).toEqual(['10670.00/10670.00']);
});

test('an account of another currency is reported as not watched, and nobody is warned of it', async () => {
  const guard = await openGuard([toRule({ currency: 'USD' })]);
  show(guard, { equity: '10000.00', currency: 'JPY' });
  show(guard, { equity: '1.00', currency: 'JPY' });
  expect(takeNews(guard)).toEqual({ breaches: [], warnings: [], blind: ['other_currency'] });
});

test('a drawdown counts from the initial balance that the server knows of the account', async () => {
  const known = await openGuard([toRule({})], { initial_balance: '10400.00' });
  show(known, { equity: '9900.00' });
  expect(takeNews(known).breaches).toEqual(['9900.00']);
  const unknown = await openGuard([toRule({})]);
  show(unknown, { equity: '9900.00' });
  expect(takeNews(unknown).breaches).toEqual([]);
});

test('rules with an amount that is no number are refused as a whole', () => {
  const session_id = randomUUID();
  const terminal = { terminal_id: TERMINAL, ...ACCOUNT, rules: [{ index: 0 }] };
  const read = (rule: object, about: object = {}) => {
    const rules = [{ ...toRule({}), ...rule }];
    const json = { session_id, risk_version: 1, rules, terminals: [{ ...terminal, ...about }] };
    const answer = { status: 200, headers: {}, body: Buffer.alloc(0), call: 'risk-rules', json };
    return readRiskRules(answer, session_id);
  };
  expect(read({ buffer: '10.00' }, { initial_balance: null }).rules).toHaveLength(1);
  for (const name of ['amount', 'percent', 'trail_stops_at', 'trail_stops_at_initial_plus', 'buffer']) {
    expect(() => read({ [name]: '1e3' }), name).toThrow('with another shape');
  }
  expect(() => read({}, { initial_balance: 10_000 })).toThrow('with another shape');
  expect(() => read({}, { released: 'all' })).toThrow('with another shape');
  expect(() => read({ confirm_ms: '5000' })).toThrow('with another shape');
  expect(() => read({}, { rules: [{ index: 0, reset: 'all' }] })).toThrow('with another shape');
  expect(read({ confirm_ms: 5000 }, { rules: [{ index: 0, reset: session_id }] }).terminals).toHaveLength(1);
});

test('a breach that a restart has suspended is not given up while a deal is not known yet', () => {
  const rule = toRule({ kind: 'daily_loss' });
  const terminal = new GuardedTerminal(TERMINAL, undefined, 0);
  const beginMs = Date.UTC(2026, 5, 15, 10);
  const lookAt = (nowMs: number, balance: string, lastDeal: string, until = lastDeal) => {
    const moment = { nowMs, elapsedMs: nowMs - beginMs, createId: randomUUID };
    const cash = { until, flows: [] };
    const numbers = { ...ACCOUNT, balance, equity: balance, volumes: [], positions: 0, isSynchronised: true };
    terminal.note({ ...numbers, lastDeal, cash }, moment);
    return terminal.look(moment).breaches.map(({ report }) => report.id);
  };
  terminal.apply(ACCOUNT, [{ rule, marks: undefined }]);
  lookAt(beginMs, '10000.00', '1');
  const [id] = lookAt(beginMs + 10_000, '9500.00', '2');
  const laterMs = beginMs + 2 * 3_600_000;
  terminal.suspendOldBreaches(laterMs);
  expect(lookAt(laterMs, '9400.00', '3', '2')).toEqual([]);
  expect(terminal.record.breaches).toMatchObject([{ isSuspended: true, report: { id, has_ended: false } }]);
  expect(lookAt(laterMs + 2_000, '9400.00', '3', '2')).toEqual([id]);
});
