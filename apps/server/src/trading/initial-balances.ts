/**
 * What accounts began with: as their owner says, else the first deposit, where the deals that were reported began with it.
 * What an owner says is kept for the account, and not for a terminal. It is nobody else's, whoever uses the account, too.
 */
import type { InitialBalance } from '@berth/contract';
import { isSameServer, toLoginKey } from '../db/account-names.ts';
import { toRemoval } from '../db/removal.ts';
import { sql, type Queryable, type Transaction } from '../db/database.ts';

/** What was said is kept for so long after no terminal uses the account any more. */
const KEEP_DAYS = 730;

const isOfAccount = `user_id = t.user_id and login = ${toLoginKey('t.login')} and ${isSameServer('server_name', 't.server_name')}`;

/** SQL: joins what is known of the account of the terminal `t`. An address may stand for several names: its own comes first. */
export const initialBalanceJoins = `left join lateral (
     select amount from initial_balances where ${isOfAccount} order by server_name = lower(t.server_name) desc, set_at desc limit 1
   ) ib on true
   left join lateral (
     select c.first_deposit from trading_accounts a join deal_cursors c on c.account_id = a.id
     where a.terminal_id = t.id and a.login = t.login and a.server_name = t.server_name limit 1
   ) fd on true`;
const amount = 'coalesce(ib.amount, fd.first_deposit)::text';

/** SQL: the columns, after these joins. */
export const initialBalanceColumns = `${amount} as initial_balance,
     case when ib.amount is not null then 'owner' when fd.first_deposit is not null then 'first_deposit' end as initial_balance_source`;

const findStatement = sql(
  'find_initial_balance',
  `select ${initialBalanceColumns} from terminals t ${initialBalanceJoins}
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null`,
);

/** @returns undefined where the user has no such terminal */
export const findInitialBalance = async (
  db: Queryable,
  userId: string,
  terminalId: string,
): Promise<InitialBalance | undefined> => {
  const [found] = await db.query<InitialBalance>(findStatement, [terminalId, userId]);
  return found;
};

const ofHostStatement = sql(
  'list_initial_balances',
  `select t.id as terminal_id, ${amount} as initial_balance from terminals t ${initialBalanceJoins}
   where t.host_id = $1 and t.id = any($2::uuid[])`,
);

/** Of terminals on the host, by their ids; without those of which it is not known. */
export const listInitialBalances = async (
  db: Queryable,
  hostId: string,
  terminalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await db.query<{ terminal_id: string; initial_balance: string | null }>(ofHostStatement, [
    hostId,
    terminalIds,
  ]);
  return new Map(
    rows.flatMap(({ terminal_id: id, initial_balance: balance }) => (balance === null ? [] : [[id, balance]])),
  );
};

const clearStatement = sql(
  'clear_initial_balance',
  `delete from initial_balances b using terminals t
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null and b.user_id = $2 and b.login = ${toLoginKey('t.login')}
     and ${isSameServer('b.server_name', 't.server_name')}`,
);
const setStatement = sql(
  'set_initial_balance',
  `insert into initial_balances as b (user_id, login, server_name, amount)
   select t.user_id, ${toLoginKey('t.login')}, lower(t.server_name), $3::numeric from terminals t
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null
   on conflict (user_id, login, server_name) do update set amount = excluded.amount, set_at = now()`,
);

/** Keeps it for the account that the user's terminal is logged in to, under whatever name it was said before; null: forgets it. */
export const setInitialBalance = async (
  tx: Transaction,
  { userId, terminalId, amount }: { userId: string; terminalId: string; amount: string | null },
): Promise<void> => {
  await tx.query(clearStatement, [terminalId, userId]);
  if (amount !== null) await tx.query(setStatement, [terminalId, userId, amount]);
};

/** Takes how many rows it may remove, and says how many it did. */
export const initialBalanceRemoval = {
  name: 'prune_initial_balances',
  text: toRemoval(
    'initial_balances b',
    `b.set_at < now() - interval '${KEEP_DAYS} days'
       and not exists (select from terminals t where t.user_id = b.user_id and ${toLoginKey('t.login')} = b.login and t.deleted_at is null)`,
  ),
};
