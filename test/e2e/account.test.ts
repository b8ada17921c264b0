/** From an expert that trades to its owner: the broker's ledger, the terminal's files, the host's agent, the server. */
import { useTestStack, waitFor } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { setPrice, TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

const stack = useTestStack();
let user: TerminalUser;
beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
});

const ACTIONS = [
  setPrice(0, '1.05000'),
  { after_seconds: 0, open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } },
  setPrice(2, '1.06000'),
  { after_seconds: 3, open: { symbol: 'EURUSD', side: 'sell', volume: '0.20' } },
  { after_seconds: 4, close: 'all' },
  { after_seconds: 5, open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } },
  setPrice(6, '1.06106'),
];

it(
  'what an expert trades reaches its owner: money and positions as they are, and each deal once',
  async () => {
    const id = await user.createTrader('5001');
    await user.trade(id, ACTIONS);

    const deals = await waitFor(
      async () => {
        const listed = await user.berth.terminals.deals(id).toArray();
        return listed.length >= 6 && listed;
      },
      { what: 'the deals', timeoutMs: TIMEOUT_MS },
    );
    expect(
      deals.map(({ side, entry, volume, price, profit }) => [side, entry, volume, price, profit].join(' ')),
    ).toEqual([
      'balance in 0.00 0.00 10000.00',
      'buy in 0.10 1.05006 0.00',
      'sell in 0.20 1.06000 0.00',
      'sell out 0.10 1.06000 99.40',
      'buy out 0.20 1.06006 -1.20',
      'buy in 0.10 1.06006 0.00',
    ]);
    expect(deals.map(({ type, fee, out_by }) => `${type} ${fee} ${out_by}`)).toEqual([
      'balance 0.00 null',
      ...Array(2).fill('trade 0.00 null'),
      ...Array(2).fill('trade 0.00 expert'),
      'trade 0.00 null',
    ]);
    const account = await waitFor(
      async () => {
        const seen = await user.berth.terminals.account(id);
        return seen.positions[0]?.price === '1.06106' && seen;
      },
      { what: 'the last price', timeoutMs: TIMEOUT_MS },
    );
    // Five deals of 0.10 and 0.20 lots cost 2.10.
    const money = { balance: '10096.10', profit: '10.00', equity: '10106.10', currency: 'USD', margin_mode: 'hedging' };
    const began = { initial_balance: '10000.00', initial_balance_source: 'first_deposit' };
    expect(account).toMatchObject({ connected: true, synchronized: true, ...began });
    expect(Date.parse(account.last_tick_at!)).toBeLessThanOrEqual(Date.parse(account.seen_at));
    expect(account).toMatchObject({ login: '5001', server: 'Harbour-Demo', is_current: true, ...money });
    expect(account.positions).toMatchObject([{ side: 'buy', volume: '0.10', open_price: '1.06006', profit: '10.00' }]);

    const closed = await user.run(id, 'CLOSE_ALL', {});
    expect(closed.result.runner_result.at(-1)?.data).toEqual({ closed: 1, total: 1, left_open: [], remaining: 0 });
    const after = await waitFor(
      async () => {
        const seen = await user.berth.terminals.account(id);
        return seen.positions.length === 0 && seen;
      },
      { what: 'an empty account', timeoutMs: TIMEOUT_MS },
    );
    expect(after.balance).toBe(after.equity);
  },
  TIMEOUT_MS,
);
