/** An account as a host would have reported it, for examples: positions, a deal, and the minutes before. */
import { withClient, type TestStack } from '@berth/testing';

const position = {
  ticket: '481520',
  symbol: 'EURUSD',
  side: 'buy',
  volume: '0.10',
  open_price: '1.05000',
  price: '1.05123',
  stop_loss: '1.04500',
  take_profit: null,
  swap: '0.00',
  profit: '12.30',
  magic: '0',
  comment: '',
  opened_at: '2026-01-31T08:15:30.123Z',
};

const texts = [
  `insert into trading_accounts (terminal_id, login, server_name, host_id, taken_at, seen_at, sequence, currency, currency_digits,
     leverage, margin_mode, balance, credit, equity, profit, margin, free_margin, margin_level, trading_allowed, is_synchronized,
     positions_total, orders_total, positions, orders, last_deal, connected, tick_age_ms, minute_at, minute_min, minute_max, day_at,
     day_first, day_max)
   select id, login, server_name, host_id, now(), now(), 1, 'USD', 2, 100, 'hedging', 9999.30, 0.00, 10011.60, 12.30, 105.12, 9906.48,
     9523.97, true, true, 1, 0, $2, '[]', 481516, true, 400, date_bin('1 minute', now(), timestamptz 'epoch'), 10009.10, 10012.40,
     date_bin('1 day', now(), timestamptz 'epoch'), 10000.00, 10012.40 from terminals where id = $1
   on conflict do nothing`,
  `insert into account_minutes
   select id, minute_at - interval '1 minute', balance, 10001.20, 10009.80, 10009.10, 9.80 from trading_accounts
   where terminal_id = $1 and $2::text is not null on conflict do nothing`,
  `insert into deal_cursors (account_id, last_ticket, complete_until, kept, deals_left, events_left, first_deposit)
   select id, 481516, now(), 1, 1000, 100, 10000.00 from trading_accounts where terminal_id = $1 and $2::text is not null on conflict do nothing`,
  `insert into deals
   select a.id, 481516, t.user_id, now() - interval '1 minute', 481515, 481520, 'EURUSD', 'buy', 'in', 0.10, 1.05000, -0.70, 0.00, 0.00,
     '0', '', 'trade', -0.10, null from trading_accounts a join terminals t on t.id = a.terminal_id where t.id = $1 and $2::text is not null
   on conflict do nothing`,
];

/** Gives the terminal an account, unless its host has reported one. */
export const plantAccount = ({ databaseUrl }: TestStack, terminalId: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    for (const text of texts) await client.query(text, [terminalId, JSON.stringify([position])]);
  });
