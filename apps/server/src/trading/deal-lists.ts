/** Deals, as users read them. */
import type { AccountDeal, Deal } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { toDeal } from './deals.ts';

const columns = `d.ticket::text, d.order_ticket::text as "order", d.position_id::text, d.symbol, d.side, d.entry, d.volume::text,
     d.price::text, d.commission::text, d.swap::text, d.profit::text, d.magic, d.comment, d.at, d.type, d.fee::text,
     d.out_by`;

/**
 * SQL: until when an account's deals are complete. A terminal that knows no newer deal than the server has made none until it was
 * seen; the clocks of brokers are a few seconds off.
 */
const completeUntil = `case when a.last_deal is not distinct from c.last_ticket and a.is_synchronized
     then greatest(c.complete_until, a.seen_at - interval '5 seconds') else c.complete_until end`;

const account = `cross join lateral (
     select id, login, last_deal, is_synchronized, seen_at from trading_accounts
     where terminal_id = t.id and login = t.login and server_name = t.server_name limit 1
   ) a`;

const findStatement = sql(
  'find_deals_of_terminal',
  `select a.id::text, ${completeUntil} as complete_until
   from terminals t
   left join lateral (
     select id, last_deal, is_synchronized, seen_at from trading_accounts
     where terminal_id = t.id and login = t.login and server_name = t.server_name limit 1
   ) a on true
   left join deal_cursors c on c.account_id = a.id
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null`,
);

const listStatement = sql(
  'list_deals',
  `select ${columns} from deals d
   where d.account_id = $1 and d.user_id = $2 and d.ticket > $3 and ($4::timestamptz is null or d.at >= $4)
     and ($5::timestamptz is null or d.at < $5)
   order by d.ticket limit $6`,
);

export interface DealFilter {
  from?: Date | undefined;
  to?: Date | undefined;
  limit: number;
}

/** What a page of deals is, and until when there is no gap. */
export interface DealsPage<Item> {
  deals: Item[];
  complete_until: string | null;
}

/**
 * The deals of the account that a terminal is logged in to now, by their tickets.
 * @param after the ticket of the deal that came last; -1: none
 * @returns undefined where the user has no such terminal
 */
export const listDeals = async (
  db: Queryable,
  userId: string,
  terminalId: string,
  { after, from, to, limit }: DealFilter & { after: string },
): Promise<DealsPage<Deal> | undefined> => {
  const [found] = await db.query<{ id: string | null; complete_until: string | null }>(findStatement, [
    terminalId,
    userId,
  ]);
  if (!found) return undefined;
  const { id, complete_until } = found;
  if (id === null) return { deals: [], complete_until };
  const values = [id, userId, after, from?.toISOString() ?? null, to?.toISOString() ?? null, limit];
  return { deals: (await db.query<Deal>(listStatement, values)).map(toDeal), complete_until };
};

/** Of the accounts that terminals are logged in to now; null as long as of one of them nothing is known. */
const completeStatement = sql(
  'find_deals_complete_until',
  `select case when bool_and(s.until is not null) then min(s.until) end as complete_until
   from (
     select ${completeUntil} as until from terminals t ${account} left join deal_cursors c on c.account_id = a.id
     where t.user_id = $1 and t.deleted_at is null
   ) s`,
);

/** With those of accounts that terminals were logged in to before, and of terminals that are gone. */
const listAllStatement = sql(
  'list_all_deals',
  `select d.account_id::text, a.terminal_id, a.login, ${columns}
   from deals d cross join lateral (select terminal_id, login from trading_accounts where id = d.account_id limit 1) a
   where d.user_id = $1 and (d.at, d.account_id, d.ticket) > ($2::timestamptz, $3::bigint, $4::bigint)
     and ($5::timestamptz is null or d.at >= $5) and ($6::timestamptz is null or d.at < $6)
   order by d.at, d.account_id, d.ticket limit $7`,
);

/** Where a list of the deals of all terminals goes on: behind the deal with this time, account and ticket. */
export type DealPosition = readonly [at: string, accountId: string, ticket: string];

type Row = AccountDeal & { account_id: string };

/** The deals of all terminals, by their times. `positions` are those of the deals, for the next page. */
export const listAllDeals = async (
  db: Queryable,
  userId: string,
  { after, from, to, limit }: DealFilter & { after: DealPosition },
): Promise<DealsPage<AccountDeal> & { last: DealPosition | undefined }> => {
  const [complete] = await db.query<{ complete_until: string | null }>(completeStatement, [userId]);
  const values = [userId, ...after, from?.toISOString() ?? null, to?.toISOString() ?? null, limit];
  const rows = await db.query<Row>(listAllStatement, values);
  const last = rows.at(-1);
  return {
    deals: rows.map(({ account_id: _, ...deal }) => toDeal(deal)),
    complete_until: complete?.complete_until ?? null,
    last: last && [last.at, last.account_id, last.ticket],
  };
};
