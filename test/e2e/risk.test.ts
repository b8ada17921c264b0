/**
 * A daily loss limit, from the price to the empty account: the broker, the terminal's files, the guard on its host, the
 * server, its owner.
 */
import { ApiError } from '@berth/client';
import { useTestStack, waitFor } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

const stack = useTestStack();
let user: TerminalUser;
beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
});

const setPrice = (seconds: number, price: string) => ({
  after_seconds: seconds,
  set_price: { symbol: 'EURUSD', price },
});
const open = { open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } };
/** A lot of 0.10 loses 100.00 on the way. */
const LOSING = {
  sandbox_expert: 1,
  repeat: false,
  actions: [setPrice(0, '1.05000'), { after_seconds: 0, ...open }, setPrice(4, '1.04000')],
};

it(
  'a loss beyond the limit closes everything once, switches algo trading off and locks the terminal',
  async () => {
    const { berth } = user;
    const { id } = await user.createTerminal({
      server_name: 'Harbour-Demo',
      login: '5001',
      password: 'trade-me',
      region: 0,
    });
    await user.waitForStatus(id, 'ACTIVE');
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    const rule = await berth.riskRules.create({
      name: 'Daily loss',
      terminal_ids: [id],
      kind: 'daily_loss',
      amount: '50.00',
      basis: 'higher',
      day_starts: '00:00',
      time_zone: 'UTC',
      actions: ['notify', 'trading_off', 'close_all', 'lock'],
    });
    await waitFor(async () => (await berth.riskRules.states(rule.id).toArray())[0]?.is_watched, {
      what: 'a host that watches',
      timeoutMs: TIMEOUT_MS,
    });
    const file = await user.upload('Loser.ex5', Buffer.from(JSON.stringify(LOSING)));
    const place = { name: 'Loser', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id: file.id };
    await user.run(id, 'EA_INSTALL', place);

    const breach = await waitFor(
      async () => {
        const [first] = await berth.riskBreaches.list().toArray();
        return first !== undefined && first.actions.length === 4 && first;
      },
      { what: 'a breach that is carried out', timeoutMs: TIMEOUT_MS },
    );
    expect(breach).toMatchObject({ rule_id: rule.id, terminal_id: id, closed: 1, total: 1, left_open: [] });
    expect(breach.actions.map(({ action, ok }) => [action, ok])).toEqual([
      ['close_all', true],
      ['trading_off', true],
      ['lock', true],
      ['notify', true],
    ]);
    const account = await waitFor(
      async () => {
        const seen = await berth.terminals.account(id);
        return seen.positions.length === 0 && seen;
      },
      { what: 'the empty account', timeoutMs: TIMEOUT_MS },
    );
    // Bought at 1.05006, sold at 1.04000, and 0.30 for each of the two deals.
    expect([account.balance, account.equity]).toEqual(['9898.80', '9898.80']);
    const locked = await waitFor(
      async () => {
        const seen = await berth.terminals.get(id, { include: 'details' });
        return seen.trading_allowed === false && seen;
      },
      { what: 'algo trading off', timeoutMs: TIMEOUT_MS },
    );
    expect(locked.locked_reason).toContain('Daily loss');

    const refused = await berth.tasks
      .create(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 403, code: 'account_locked' });
    await berth.terminals.unlock(id, { reason: 'Reviewed' });
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    // The same day's loss does not act a second time by itself on an empty account.
    expect(await berth.riskBreaches.list().toArray()).toHaveLength(1);
  },
  TIMEOUT_MS,
);
