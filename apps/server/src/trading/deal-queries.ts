/** The statements that write deals, and how far they go. */
import { DEALS_BURST, DEALS_PER_DAY, type Deal, type ReportedAccount } from '@berth/contract';
import { isSameLogin, isSameServer } from '../db/account-names.ts';
import { sql, type Queryable } from '../db/database.ts';

/** Events of deals that are written at once, and how often one more may be. */
const EVENTS_BURST = 500;
const SECONDS_PER_EVENT = 30;

/** The terminals that are on the host and logged in to the account that it names. */
const given = `given as materialized (
     select t.id, t.login, t.server_name, t.user_id, t.name
     from unnest($2::uuid[], $3::text[], $4::text[]) as g (terminal_id, login, server)
     cross join lateral (
       select id, login, server_name, user_id, name from terminals
       where id = g.terminal_id and host_id = $1 and deleted_at is null and ${isSameLogin('login', 'g.login')}
         and ${isSameServer('g.server', 'server_name')} limit 1
     ) t
   )`;

const toValues = (hostId: string, reported: readonly Pick<ReportedAccount, 'terminal_id' | 'login' | 'server'>[]) => [
  hostId,
  reported.map(({ terminal_id }) => terminal_id),
  reported.map(({ login }) => login),
  reported.map(({ server }) => server),
];

const ensureAccountsStatement = sql(
  'ensure_trading_accounts',
  `with ${given}
   insert into trading_accounts (terminal_id, login, server_name) select id, login, server_name from given order by id
   on conflict (terminal_id, login, server_name) do nothing`,
);
const ensureCursorsStatement = sql(
  'ensure_deal_cursors',
  `with ${given}
   insert into deal_cursors (account_id, deals_left, events_left)
   select a.id, ${DEALS_BURST}, ${EVENTS_BURST} from given g cross join lateral (
     select id from trading_accounts where terminal_id = g.id and login = g.login and server_name = g.server_name limit 1
   ) a order by a.id
   on conflict (account_id) do nothing`,
);

type Named = readonly Pick<ReportedAccount, 'terminal_id' | 'login' | 'server'>[];

/** Makes what is missing for the deals of these terminals. */
export const ensureCursors = async (tx: Queryable, hostId: string, reported: Named): Promise<void> => {
  await tx.query(ensureAccountsStatement, toValues(hostId, reported));
  await tx.query(ensureCursorsStatement, toValues(hostId, reported));
};

/** A clock that was set back gives as much as one that went on. */
const grown = (left: string, burst: number, seconds: number): string =>
  `least(${burst}, c.${left} + abs(extract(epoch from now() - c.counted_at)) / ${seconds})::double precision`;

const toCursors = (lock: string): string => `with ${given}
   select c.account_id::text, g.id as terminal_id, g.user_id, g.name, g.login, a.currency, a.created_at, now() as now,
     c.last_ticket::text, c.complete_until, c.kept, c.events_skipped, c.first_deposit::text,
     ${grown('deals_left', DEALS_BURST, 86_400 / DEALS_PER_DAY)} as deals_left,
     ${grown('events_left', EVENTS_BURST, SECONDS_PER_EVENT)} as events_left
   from given g
   cross join lateral (
     select id, currency, created_at from trading_accounts
     where terminal_id = g.id and login = g.login and server_name = g.server_name limit 1
   ) a
   cross join lateral (select * from deal_cursors where account_id = a.id limit 1 ${lock}) c`;

const findStatement = sql('find_deal_cursors', toCursors(''));
const lockStatement = sql('lock_deal_cursors', toCursors('for update'));

/** How far the deals of an account go, and what it may still add. */
export interface LockedCursor {
  account_id: string;
  terminal_id: string;
  user_id: string;
  name: string;
  login: string;
  currency: string | null;
  /** When the server first knew of the account, and what time it is. */
  created_at: string;
  now: string;
  last_ticket: string | null;
  complete_until: string | null;
  kept: number;
  deals_left: number;
  events_left: number;
  events_skipped: number;
  first_deposit: string | null;
}

/**
 * Those of the terminals that are on the host, locked in the order in which they are given; without those of which no deal
 * was reported yet.
 */
export const lockCursors = (tx: Queryable, hostId: string, reported: Named): Promise<LockedCursor[]> =>
  tx.query<LockedCursor>(lockStatement, toValues(hostId, reported));

/** The same, to read: it waits for nobody. */
export const findCursors = (db: Queryable, hostId: string, reported: Named): Promise<LockedCursor[]> =>
  db.query<LockedCursor>(findStatement, toValues(hostId, reported));

/** A deal of an account. */
export interface NewDeal extends Deal {
  account_id: string;
  user_id: string;
}

const insertStatement = sql(
  'insert_deals',
  `with written as (
     insert into deals (account_id, ticket, user_id, at, order_ticket, position_id, symbol, side, entry, volume, price, commission,
       swap, profit, magic, comment, type, fee, out_by)
     select * from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::text[],
       $8::text[], $9::text[], $10::numeric[], $11::numeric[], $12::numeric[], $13::numeric[], $14::numeric[], $15::text[],
       $16::text[], $17::text[], $18::numeric[], $19::text[])
     on conflict (account_id, ticket) do nothing
     returning account_id
   )
   select account_id::text, count(*) as total from written group by account_id`,
);

/** @returns how many were new, by account */
export const insertDeals = async (tx: Queryable, deals: readonly NewDeal[]): Promise<ReadonlyMap<string, number>> => {
  if (deals.length === 0) return new Map();
  const names = ['account_id', 'ticket', 'user_id', 'at', 'order', 'position_id', 'symbol', 'side', 'entry'] as const;
  const money = ['volume', 'price', 'commission', 'swap', 'profit', 'magic', 'comment'] as const;
  const facts = ['type', 'fee', 'out_by'] as const;
  const rows = await tx.query<{ account_id: string; total: number }>(
    insertStatement,
    [...names, ...money, ...facts].map((name) => deals.map((deal) => deal[name])),
  );
  return new Map(rows.map(({ account_id, total }) => [account_id, total]));
};

const writeStatement = sql(
  'write_deal_cursors',
  `update deal_cursors c set last_ticket = n.last_ticket, complete_until = n.complete_until, kept = n.kept,
     deals_left = n.deals_left, events_left = n.events_left, events_skipped = n.events_skipped, counted_at = now(),
     first_deposit = n.first_deposit
   from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::integer[], $5::real[], $6::real[], $7::integer[], $8::numeric[])
     as n (account_id, last_ticket, complete_until, kept, deals_left, events_left, events_skipped, first_deposit)
   where c.account_id = n.account_id`,
);

export const writeCursors = async (tx: Queryable, cursors: readonly LockedCursor[]): Promise<void> => {
  if (cursors.length === 0) return;
  const names = ['account_id', 'last_ticket', 'complete_until', 'kept', 'deals_left', 'events_left'] as const;
  await tx.query(
    writeStatement,
    [...names, 'events_skipped' as const, 'first_deposit' as const].map((name) =>
      cursors.map((cursor) => cursor[name]),
    ),
  );
};
