/** Deposits and withdrawals, from the file of a terminal to what its rules decide, also over a restart of the agent. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardRule } from '@berth/contract/agent';
import { createLogger, systemTiming } from '@berth/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAccount } from '../src/account/exchange-files.ts';
import { toNumbers } from '../src/host/risk-numbers.ts';
import { RiskGuard } from '../src/risk/risk-guard.ts';
import { openRiskStore } from '../src/risk/risk-store.ts';
import { OWN, toAccountFile } from './support/account-folder.ts';
import { noActions } from './support/no-actions.ts';

const TERMINAL = randomUUID();
const FLOWS = [
  { ticket: '12', amount: '-4000.00' },
  { ticket: '11', amount: '5000.00' },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-cash-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A guard on a disk, and a clock that only the test moves. */
const openGuard = async (changes: Partial<GuardRule>) => {
  const rule: GuardRule = {
    ...{ id: randomUUID(), kind: 'daily_loss', amount: null, percent: '3', basis: 'equity', trail: 'equity' },
    ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['lock'], ...changes },
  };
  const terminals = [{ terminal_id: TERMINAL, ...OWN, rules: [{ index: 0 }] }];
  const rules = { risk_version: 1, rules: [rule], terminals };
  const path = join(folder, randomUUID());
  const clock = { nowMs: Date.UTC(2026, 10, 23) };
  const open = async () =>
    RiskGuard.open({
      store: await openRiskStore(path),
      actions: noActions,
      timing: { ...systemTiming, clock: { now: () => clock.nowMs } },
      elapsedMs: () => clock.nowMs,
      createId: randomUUID,
      log: createLogger({ name: 'guard', level: 'silent' }),
    });
  let guard = await open();
  await guard.setRules(rules);
  return {
    /** The terminal writes its file a second later. @returns the breaches that are news */
    see: (balance: string, equity: string, lastDeal: string, isKnown = true): string[] => {
      clock.nowMs += 1_000;
      const flows = FLOWS.filter(({ ticket }) => isKnown && Number(ticket) <= Number(lastDeal));
      const cash = { until: isKnown ? lastDeal : String(Number(lastDeal) - 1), flows };
      const more = { balance, equity, last_deal: lastDeal, cash, connected: true, trade_denied_by: [] };
      const state = readAccount(Buffer.from(JSON.stringify(toAccountFile(more))));
      if (typeof state === 'string') throw new Error(state);
      guard.note(TERMINAL, toNumbers(state));
      return (guard.news.take()?.breaches ?? []).map(({ value, limit }) => `${value}/${limit}`);
    },
    restart: async () => {
      // What changed is on the disk when this resolves.
      await guard.setRules(rules);
      guard = await open();
    },
  };
};

test('a deposit and a withdrawal move a limit of 3%, with a restart after each, and a loss alone reaches it', async () => {
  const { see, restart } = await openGuard({});
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

test('a limit that ignores cash stays where it was, and a withdrawal does not reach it by itself', async () => {
  const { see } = await openGuard({ cash_flows: 'ignore' });
  see('10000.00', '10000.00', '10');
  expect(see('15000.00', '14800.00', '11')).toEqual([]);
  expect(see('11000.00', '10670.00', '12')).toEqual([]);
  expect(see('11000.00', '9700.00', '12')).toEqual(['9700.00/9700.00']);
});

test('a withdrawal that is not known yet is waited for, over a restart, and for two seconds at most', async () => {
  const { see, restart } = await openGuard({ kind: 'max_drawdown' });
  see('15000.00', '15000.00', '11');
  expect(see('11000.00', '11000.00', '12', false)).toEqual([]);
  await restart();
  expect(see('11000.00', '11000.00', '12', false)).toEqual([]);
  expect(see('11000.00', '11000.00', '12', false)).toEqual(['11000.00/14550.00']);
});
