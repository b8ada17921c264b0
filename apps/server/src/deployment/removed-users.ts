/**
 * Removes what closed accounts have, once their closing cannot be taken back any more. Terminals are destroyed by
 * ordinary tasks; when the last one is gone, the rest goes in steps, and the row of the user keeps its id alone. Each
 * step says by itself whether there is something to do: a server that is killed at any of them leaves nothing undone,
 * and another one goes on. Several servers at once are in nobody's way.
 *
 * A host that is gone holds the terminals until it is back or retired; the rest of the account goes meanwhile. What
 * remains is the audit log, who did what by their ids, and events, for as long as events are kept.
 */
import { TerminalStatus } from '@berth/contract';
import { sleep, type Logger } from '@berth/kit';
import { GRACE_DAYS } from '../accounts/closing.ts';
import { isUpFor } from '../db/clock.ts';
import { DatabaseUnavailableError, sql, type Database, type Queryable, type Statement } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import { toRemoval } from '../db/removal.ts';
import { destroyWithin, type DestructionParts } from './destroy-terminal.ts';

const ROWS = 2_000;
/** Of what is large, or takes many rows with it. */
const FEW = 20;
const USERS = 100;
const PAUSE_MS = 20;

/** A clock that jumped ahead, or months without a server: an operator has an hour to take the closing back. */
const beginStatement = sql(
  'begin_removal_of_users',
  `update users set removal_began_at = now()
   where id = any(array(
     select id from users
     where closed_at <= now() - interval '${GRACE_DAYS} days' and removal_began_at is null and deleted_at is null
       and ${isUpFor(`interval '1 hour'`)}
     limit ${USERS} for update skip locked
   ))`,
);
const listStatement = sql(
  'list_users_to_remove',
  `select id from users where closed_at is not null and removal_began_at is not null and deleted_at is null and id > $1
   order by id limit ${USERS}`,
);
const listTerminalsStatement = sql(
  'list_terminals_of_removed_user',
  `select id from (
     select id from terminals where user_id = $1 and deleted_at is null and status <> ${TerminalStatus.DESTROYING} offset 0
   ) t order by id limit ${FEW}`,
);
const hasTerminalStatement = sql(
  'has_terminal_of_removed_user',
  `select from terminals where user_id = $1 and deleted_at is null limit 1`,
);

/** What has no row of others, from what names others to what is named. What it takes along is small, or went before. */
const removals: readonly { statement: Statement; rows: number }[] = (
  [
    ['webhook_deliveries', ROWS, 'webhook_id in (select id from webhooks where user_id = $2)'],
    ['webhooks', FEW],
    ['schedules', ROWS],
    ['saved_views', ROWS],
    ['alerts', ROWS],
    ['alert_rules', ROWS],
    ['alert_channels', ROWS],
    ['alert_readers', ROWS],
    ['alert_wakes', ROWS],
    ['risk_breaches', FEW],
    ['risk_rules', FEW],
    ['initial_balances', ROWS],
    ['bulk_runs', FEW],
    ['trading_stops', FEW],
    ['terminal_snapshots', FEW],
    ['files', FEW],
    ['notifications', ROWS],
    ['idempotency_keys', ROWS],
    ['password_links', ROWS],
    ['sign_in_links', ROWS],
    ['sign_in_places', ROWS],
    ['tokens', ROWS],
    ['event_watchers', ROWS],
    ['lost_hosts', ROWS],
  ] as [table: string, rows: number, condition?: string][]
).map(([table, rows, condition = 'user_id = $2']) => ({
  statement: sql(`remove_${table}_of_user`, toRemoval(table, condition)),
  rows,
}));

/** Its trigger refuses every other change. The setting is there before a row is looked at, and ends with the statement. */
const forgetStatement = sql(
  'forget_removed_user_in_audit_log',
  `with allowed as materialized (
     select set_config('berth.forgets_user', 'yes', true) as is_set
   )
   update audit_log set before = null, after = null, address = null
   where id = any(array(
     select id from audit_log where (select is_set from allowed) = 'yes' and user_id = $1
       and (before is not null or after is not null or address is not null) limit ${ROWS}
   )) returning id`,
);
/** The pruning removes terminals that are gone for a month, with what is theirs, in its steps: it need not wait for these. */
const ageStatement = sql(
  'age_terminals_of_removed_user',
  `update terminals set deleted_at = deleted_at - interval '31 days'
   where id = any(array(
     select id from terminals where user_id = $1 and deleted_at > now() - interval '30 days' limit ${ROWS}
   )) returning id`,
);
const nameProjectsStatement = sql(
  'unname_projects_of_removed_user',
  `update projects set name = '', description = null where user_id = $1 and name <> ''`,
);
/** The address is free again; nobody has the password. */
const unnameStatement = sql(
  'unname_removed_user',
  `update users set name = '', email = id || '@removed.invalid', password_hash = '', external_id = null, is_operator = false,
     operator_role = null, suspended_reason = null, email_verified_at = null, deleted_at = now(), updated_at = now()
   where id = $1 and deleted_at is null and not exists (
     select from terminals t where t.user_id = $1 and t.deleted_at is null
   )`,
);

export interface RemovedUsersParts extends DestructionParts {
  db: Pick<Database, 'slow' | 'transaction'>;
  log: Logger;
  stopping: AbortSignal;
}

const destroyTerminals = async (parts: RemovedUsersParts, userId: string): Promise<void> => {
  const { db, stopping } = parts;
  let found = FEW;
  while (found === FEW && !stopping.aborted) {
    found = await db.transaction(async (tx) => {
      const terminals = await tx.query<{ id: string }>(listTerminalsStatement, [userId]);
      for (const { id } of terminals) await destroyWithin(tx, parts, userId, id);
      return terminals.length;
    });
  }
};

/** In batches, until nothing is left. */
const removeRows = async ({ db, stopping }: RemovedUsersParts, userId: string): Promise<void> => {
  for (const { statement, rows } of removals) {
    while (!stopping.aborted) {
      const [gone] = await db.slow.query<{ total: number }>(statement, [rows, userId]);
      if (!gone?.total) break;
      await sleep(PAUSE_MS, stopping);
    }
  }
};

const repeat = async (
  { db, stopping }: RemovedUsersParts,
  statement: typeof ageStatement,
  userId: string,
): Promise<void> => {
  while (!stopping.aborted && (await db.slow.query(statement, [userId])).length > 0);
};

const removeUser = async (parts: RemovedUsersParts, userId: string): Promise<void> => {
  const { db, stopping } = parts;
  await destroyTerminals(parts, userId);
  await removeRows(parts, userId);
  if ((await db.slow.query(hasTerminalStatement, [userId])).length > 0) return;
  await repeat(parts, ageStatement, userId);
  await repeat(parts, forgetStatement, userId);
  if (stopping.aborted) return;
  await db.transaction(async (tx) => {
    await tx.query(nameProjectsStatement, [userId]);
    await tx.query(unnameStatement, [userId]);
  });
};

const listUsers = async (db: Queryable, after: string): Promise<string[]> =>
  (await db.query<{ id: string }>(listStatement, [after])).map(({ id }) => id);

/** One round: goes as far as it can with each account. One that fails does not hold up the others. */
export const removeClosedUsers = async (parts: RemovedUsersParts): Promise<void> => {
  const { db, log, stopping } = parts;
  await db.slow.query(beginStatement);
  let users = await listUsers(db.slow, LOWEST_ID);
  while (users.length > 0) {
    for (const id of users) {
      if (stopping.aborted) return;
      try {
        await removeUser(parts, id);
      } catch (error) {
        if (error instanceof DatabaseUnavailableError) throw error;
        log.error({ err: error, user: id }, 'a closed account could not be removed; the next round goes on');
      }
    }
    users = await listUsers(db.slow, users.at(-1)!);
  }
};
