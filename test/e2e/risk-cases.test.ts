/**
 * Worked cases of risk rules with everything real: what a broker's prices and other programs of an account do to a rule, from
 * the terminal's files to the server. The function that decides has its own (packages/risk/test/cases.test.ts).
 */
import { useTestStack, waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { GuardedTerminal } from './guarded-terminal.ts';

const TIMEOUT_MS = 600_000;
const stack = useTestStack();

/** Buys 20 lots: the account has 99,820.00 then, and each point of the price is 20.00. */
const buyTwentyLots = async (terminal: GuardedTerminal): Promise<void> => {
  await terminal.setPrice('EURUSD', '1.05000');
  await terminal.open('EURUSD', '20.00');
};

it(
  'the costs of closing reach a limit that prices have not reached, to the cent, and nothing is left to close',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
    const rule = await terminal.addRule();
    await buyTwentyLots(terminal);
    await terminal.setPrice('EURUSD', '1.04762');
    await terminal.waitForState(rule, ({ used }) => used === '4940.00');
    expect([terminal.phone.state.equity, await terminal.listBreaches()]).toEqual(['95060.00', []]);
    // 60.00 of commission are the rest of the limit.
    const [{ ticket = '' } = {}] = terminal.phone.state.positions;
    await terminal.phone.trade({ action: 'close', ticket });
    const breach = await terminal.waitForBreach(({ actions }) => actions.length === 2);
    const nothing = { closed: 0, total: 0, left_open: [], first_order_ms: null };
    expect(breach).toMatchObject({ rule_id: rule.id, value: '95000.00', limit: '95000.00', ...nothing });
  },
  TIMEOUT_MS,
);

it(
  'a buffer closes before the costs of closing reach the limit, and one cent above it does nothing',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
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
  'what fills and what is opened while a rule closes, and what a phone opens later, is closed under the same breach',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
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

it(
  'an expert and a copier that go on opening lose to the guard, which counts one breach and each position once',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
    await terminal.addRule();
    const again = { after_seconds: 0, open: { symbol: 'EURUSD', side: 'buy', volume: '0.01' } };
    const script = { sandbox_expert: 1, repeat: true, actions: [again] };
    const { user, phone, id } = terminal;
    const { id: file_id } = await user.upload('Stubborn.ex5', Buffer.from(JSON.stringify(script)));
    const place = { name: 'Stubborn', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id };
    await user.run(id, 'EA_INSTALL', place);
    await buyTwentyLots(terminal);
    let [open, copies] = [0, 0];
    phone.onState(({ positions_total: total }) => {
      if (total < open && copies < 5) {
        copies += 1;
        void terminal.open('EURUSD', '0.01');
      }
      open = total;
    });
    await terminal.setPrice('EURUSD', '1.04700');
    const breach = await terminal.waitForBreach(({ phase }) => copies === 5 && open === 0 && phase === 'holding');
    expect(breach).toMatchObject({ left_open: [], experts: { removed: 1 } });
    expect(phone.state).toMatchObject({ positions_total: 0, orders_total: 0 });
    expect(breach.closed).toBe(await terminal.countClosed());
  },
  TIMEOUT_MS,
);

it(
  'a rule that is deleted while it acts closes what it has begun to close, and nothing that is opened afterwards',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
    const rule = await terminal.addRule();
    await buyTwentyLots(terminal);
    const thaw = await terminal.breachFrozen('1.04700');
    const { id } = await terminal.waitForStored();
    await terminal.user.berth.riskRules.delete(rule.id);
    thaw();
    await terminal.waitUntilEmpty();
    const breach = await terminal.waitForBreach(({ phase }) => phase === 'ended');
    expect(breach).toMatchObject({ id, closed: 1, total: 1, left_open: [] });
    await terminal.open('EURUSD', '0.01');
    // The next numbers have reached the server, and it is still there.
    await waitFor(async () => (await terminal.user.berth.terminals.account(terminal.id)).positions.length === 1, {
      what: 'the position',
    });
    expect(terminal.phone.state.positions_total).toBe(1);
  },
  TIMEOUT_MS,
);
