import { sql, type Queryable } from '../db/database.ts';
import { deleteExpiredFiles } from '../files/queries.ts';

/** How long things are kept: docs/operating.md. Each statement removes a bounded number, the next round goes on. */
const statements = [
  sql('drop_old_idempotency_keys', `delete from idempotency_keys where created_at < now() - interval '24 hours'`),
  sql('drop_expired_join_tokens', `delete from join_tokens where expires_at < now() - interval '1 day'`),
  sql('drop_expired_password_resets', `delete from password_resets where expires_at < now() - interval '1 day'`),
  sql('drop_expired_reset_codes', `delete from reset_codes where expires_at < now()`),
  // A server notes its watched users anew four times a minute; these are of one that is gone.
  sql('drop_old_watchers', `delete from event_watchers where seen_at < now() - interval '5 minutes'`),
  sql(
    'drop_old_terminals',
    `with gone as (
       select id from terminals where deleted_at < now() - interval '30 days' limit 100
     ), tasks_gone as (
       delete from tasks t using gone where t.terminal_id = gone.id returning t.id
     ), history_gone as (
       delete from task_history h using tasks_gone where h.task_id = tasks_gone.id
     )
     delete from terminals t using gone where t.id = gone.id`,
  ),
];

/** Removes what nobody may or needs to read any more. */
export const sweep = async (db: Queryable): Promise<void> => {
  for (const statement of statements) await db.query(statement);
  await deleteExpiredFiles(db);
};
