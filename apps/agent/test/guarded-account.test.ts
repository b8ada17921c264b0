import { randomUUID } from 'node:crypto';
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { GuardedTerminal } from '../src/risk/guarded-terminal.ts';

const rule: GuardRule = {
  ...{ id: randomUUID(), kind: 'daily_loss', amount: '500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['lock'] },
};
const moment = { nowMs: Date.UTC(2026, 5, 15, 12), elapsedMs: 0, createId: randomUUID };

/** The breaches at an equity of 9,400 under the second name, after a day that began with 10,000 under the first. */
const countBreaches = (login: string, server: string): number => {
  const terminal = new GuardedTerminal(randomUUID(), undefined, 0);
  const look = (account: { login: string; server: string }, equity: string, balance: string): number => {
    terminal.apply(account, [{ rule, marks: undefined }]);
    const numbers = { login: '5001', server: account.server, equity, balance, volumes: [], positions: 0 };
    terminal.note({ ...numbers, isSynchronised: true }, moment);
    return terminal.look(moment).breaches.length;
  };
  look({ login: '5001', server: 'Harbour-Demo' }, '10000.00', '10000.00');
  return look({ login, server }, '9400.00', '9400.00');
};

test.each([
  ['leading zeros', '005001', 'Harbour-Demo'],
  ['the server in other letters', '5001', 'HARBOUR-demo'],
  ['the address of the server', '5001', 'trade.harbour.example:443'],
])('a login to the same account with %s does not begin the day of a risk rule anew', (_, login, server) => {
  expect(countBreaches(login, server)).toBe(1);
});

test('a login to another server begins the day of a risk rule for another account', () => {
  expect(countBreaches('5001', 'Other-Demo')).toBe(0);
});
