/** What is removed of accounts, step by step: points of the history and deals by their age, deals that are too many. */
import { historyDays, historySteps, KEEP_DEALS_DAYS, MAX_DEALS } from '@berth/contract';
import { toRemoval } from '../db/removal.ts';
import { historyTables } from './history.ts';
import { initialBalanceRemoval } from './initial-balances.ts';

/** With an hour to spare, so that what may be asked for is there. */
const pointRemovals = historySteps.flatMap((step) => {
  const table = historyTables[step];
  const old = `at < now() - interval '${historyDays[step]} days' - interval '1 hour'`;
  return [
    { name: `prune_${table}`, text: toRemoval(table, old) },
    // Of a clock that was ahead, and was set back since.
    { name: `prune_${table}_to_come`, text: toRemoval(table, `at > now() + interval '2 days'`) },
  ];
});

/** The deals that these rows name by their addresses; how many an account still has is noted. */
const toDealsRemoval = (addresses: string): string =>
  `with gone as (
     delete from deals where ctid = any(array(${addresses})) returning account_id
   ), noted as (
     update deal_cursors c set kept = greatest(0, c.kept - g.total)
     from (select account_id, count(*) as total from gone group by account_id) g where c.account_id = g.account_id
   )
   select count(*) as total from gone`;

/** Each takes how many rows it may remove, and says how many it did. */
export const accountRemovals: readonly { name: string; text: string }[] = [
  ...pointRemovals,
  initialBalanceRemoval,
  {
    name: 'prune_deals',
    text: toDealsRemoval(
      `select ctid from deals where at < now() - interval '${KEEP_DEALS_DAYS} days' limit $1 for update skip locked`,
    ),
  },
  {
    name: 'prune_surplus_deals',
    text: toDealsRemoval(
      `select d.ctid from (select account_id, kept from deal_cursors where kept > ${MAX_DEALS} limit 1) c
       cross join lateral (
         select ctid from deals where account_id = c.account_id order by ticket limit least($1, c.kept - ${MAX_DEALS})
       ) d`,
    ),
  },
];

const ofAccounts = (table: string, order: string): string => `${table}_gone as (
     delete from ${table} where ctid = any(array(
       select r.ctid from accounts a cross join lateral (
         select ctid from ${table} where account_id = a.id order by ${order} limit $1
       ) r limit $1
     )) returning 1
   )`;

const tables = [...Object.values(historyTables).map((table) => [table, 'at'] as const), ['deals', 'ticket'] as const];

/**
 * The accounts of terminals that are gone for good: what belongs to them first, then themselves.
 * @param terminals a query for their ids
 */
export const toAccountsRemoval = (terminals: string): string =>
  `with old as materialized (${terminals}), accounts as materialized (
     select a.id from old cross join lateral (select id from trading_accounts where terminal_id = old.id limit $1) a limit $1
   ), ${tables.map(([table, order]) => ofAccounts(table, order)).join(', ')}, accounts_gone as (
     delete from trading_accounts where id = any(array(
       select a.id from accounts a
       where ${tables
         .map(
           ([table, order]) => `(select true from ${table} where account_id = a.id order by ${order} limit 1) is null`,
         )
         .join(' and ')}
     )) returning 1
   )
   select ${tables.map(([table]) => `(select count(*) from ${table}_gone)`).join(' + ')} + (select count(*) from accounts_gone) as total`;
