import { randomUUID } from 'node:crypto';
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { GuardedTerminal } from '../src/risk/guarded-terminal.ts';

const rule: GuardRule = {
  ...{ id: randomUUID(), kind: 'daily_loss', amount: '500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['lock'] },
};
const moment = { nowMs: Date.UTC(2026, 5, 15, 12), elapsedMs: 0, createId: randomUUID };

type Account = [login: string, server: string];

/** The breaches after a look at an account. The numbers have its login without zeros, as a terminal gives them. */
const look = (terminal: GuardedTerminal, [login, server]: Account, equity: string): number => {
  terminal.apply({ login, server }, [{ rule, marks: undefined }]);
  const numbers = { login: '5001', server, equity, balance: equity, volumes: [], positions: 0 };
  terminal.note({ ...numbers, isSynchronised: true }, moment);
  return terminal.look(moment).breaches.length;
};

/** The breaches at an equity of 9,400 under the last name, after a day that began with 10,000 under the others. */
const countBreaches = (...accounts: Account[]): number => {
  const terminal = new GuardedTerminal(randomUUID(), undefined, 0);
  const [last, ...others] = accounts.reverse();
  for (const account of others.reverse()) look(terminal, account, '10000.00');
  return last ? look(terminal, last, '9400.00') : 0;
};

const HARBOUR: Account = ['5001', 'Harbour-Demo'];
const OTHER: Account = ['5001', 'Other-Demo'];
const ADDRESS: Account = ['5001', 'trade.harbour.example:443'];

test.each([
  ['leading zeros', '005001', 'Harbour-Demo'],
  ['the server in other letters', '5001', 'HARBOUR-demo'],
  ['the address of the server', '5001', 'trade.harbour.example:443'],
])('a login to the same account with %s does not begin the day of a risk rule anew', (_, login, server) => {
  expect(countBreaches(HARBOUR, [login, server])).toBe(1);
});

test('a login to another server begins the day of a risk rule for another account', () => {
  expect(countBreaches(HARBOUR, OTHER)).toBe(0);
});

test('an address that may mean either of two accounts begins a day of its own', () => {
  expect(countBreaches(HARBOUR, OTHER, ADDRESS)).toBe(0);
});

test('a login by an address in between takes nothing from the days of accounts that were seen by their names', () => {
  const terminal = new GuardedTerminal(randomUUID(), undefined, 0);
  look(terminal, HARBOUR, '10000.00');
  look(terminal, OTHER, '20000.00');
  look(terminal, ADDRESS, '5000.00');
  const breaches = [look(terminal, HARBOUR, '9400.00'), look(terminal, OTHER, '19400.00')];
  expect([...breaches, look(terminal, ADDRESS, '4900.00')]).toEqual([1, 1, 0]);
});
