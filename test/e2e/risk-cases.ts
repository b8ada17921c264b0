/** Worked cases of risk rules that are the same on each kind of terminal. */
import { waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import type { GuardedTerminal } from './guarded-terminal.ts';

const TIMEOUT_MS = 600_000;

/** Buys 20 lots: the account has 99,820.00 then, and each point of the price is 20.00. */
export const buyTwentyLots = async (terminal: GuardedTerminal): Promise<void> => {
  await terminal.setPrice('EURUSD', '1.05000');
  await terminal.open('EURUSD', '20.00');
};

/** Declares the tests. @param where how a title begins: the kind of terminal */
export const testRiskCases = (where: string, create: () => Promise<GuardedTerminal>): void => {
  it(
    `${where} a buffer closes before the costs of closing reach the limit, and one cent above it does nothing`,
    async () => {
      const terminal = await create();
      const rule = await terminal.addRule({ buffer: '100.00' });
      await buyTwentyLots(terminal);
      // Each point of this one is a cent.
      await terminal.setPrice('GBPUSD', '1.27000');
      await terminal.open('GBPUSD', '0.01');
      await terminal.setPrice('GBPUSD', '1.27013');
      await terminal.setPrice('EURUSD', '1.04764');
      await terminal.waitForState(rule, ({ used }) => used === '4899.99');
      expect([terminal.phone.state.equity, await terminal.listBreaches()]).toEqual(['95100.01', []]);
      await terminal.setPrice('GBPUSD', '1.26912');
      const breach = await terminal.waitForBreach(({ actions }) => actions.length === 2);
      expect(breach).toMatchObject({ value: '95099.00', limit: '95100.00', closed: 2, total: 2, left_open: [] });
      await terminal.waitUntilEmpty();
      expect(Number(terminal.phone.state.balance)).toBeGreaterThan(95_000);
    },
    TIMEOUT_MS,
  );

  it(
    `${where} what fills and what is opened while a rule closes, and what a phone opens later, is closed under the same breach`,
    async () => {
      const terminal = await create();
      const rule = await terminal.addRule();
      await buyTwentyLots(terminal);
      for (let count = 0; count < 3; count += 1) await terminal.open('EURUSD', '0.01');
      for (const price of ['1.04000', '1.03000']) await terminal.placeBuyLimit('EURUSD', '0.01', price);
      await waitFor(() => terminal.readAccount().orders_total === 2, { what: 'what is open' });
      const thaw = await terminal.breachFrozen('1.04700');
      await waitFor(() => terminal.listCommands().filter((action) => action === 'delete_order').length === 2, {
        what: 'the deletion of both orders',
      });
      // One of them fills, and another program of the account opens one.
      await terminal.setPrice('EURUSD', '1.03990');
      await terminal.open('EURUSD', '0.02');
      thaw();
      await terminal.waitUntilEmpty();
      // Six positions and an order.
      const { id, closed, total } = await terminal.waitForBreach(({ phase }) => phase === 'holding');
      expect([closed, total, await terminal.countClosed()]).toEqual([7, 7, 6]);

      await terminal.open('EURUSD', '0.50');
      await terminal.waitUntilEmpty();
      const breach = await terminal.waitForBreach((now) => now.closed > 7);
      expect(breach).toMatchObject({ id, rule_id: rule.id, closed: 8, total: 8, left_open: [] });
      expect([await terminal.countClosed(), breach.first_order_ms]).toEqual([7, expect.any(Number)]);
    },
    TIMEOUT_MS,
  );
};
