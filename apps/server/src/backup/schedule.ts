/**
 * When a backup is due, and who makes it: one row that all servers share. A server that makes one holds a lease and
 * renews it. When the lease ends, its server has died: the backup is still due, and whoever comes next makes it.
 */
import { sql, type Queryable } from '../db/database.ts';

/** Renewed three times as often. A server that cannot renew it gives up before others may begin. */
export const LEASE_MS = 60_000;

const lease = `now() + interval '${LEASE_MS} milliseconds'`;

const planStatement = sql(
  'plan_backup',
  `insert into scheduled_backup (plan, interval_seconds, due_at) values ($1, $2, $3)
   on conflict (is_only) do update
   set plan = excluded.plan, interval_seconds = excluded.interval_seconds, due_at = excluded.due_at, planned_at = now()
   where scheduled_backup.plan <> excluded.plan`,
);

/** Where the plan is the one of before, a time that was missed stays due. */
export const planBackup = async (
  db: Queryable,
  plan: { text: string; intervalSeconds: number; dueAt: Date },
): Promise<void> => {
  await db.query(planStatement, [plan.text, plan.intervalSeconds, plan.dueAt]);
};

const forgetStatement = sql('forget_backup_plan', 'delete from scheduled_backup');

export const forgetBackupPlan = async (db: Queryable): Promise<void> => {
  await db.query(forgetStatement);
};

const claimStatement = sql(
  'claim_backup',
  `update scheduled_backup set lease_id = $1, lease_until = ${lease}, last_started_at = now(),
     attempts = case when lease_id is null then 1 else attempts + 1 end
   where due_at <= now() and (lease_id is null or lease_until < now())
   returning attempts, due_at`,
);

/** @returns undefined when none is due, or another server makes it */
export const claimBackup = async (
  db: Queryable,
  id: string,
): Promise<{ attempts: number; dueAt: Date } | undefined> => {
  const [row] = await db.query<{ attempts: number; due_at: string }>(claimStatement, [id]);
  return row && { attempts: row.attempts, dueAt: new Date(row.due_at) };
};

const renewStatement = sql(
  'renew_backup_lease',
  `update scheduled_backup set lease_until = ${lease} where lease_id = $1 returning 1`,
);

export const renewLease = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.query(renewStatement, [id])).length > 0;

const releaseStatement = sql(
  'release_backup',
  `update scheduled_backup set lease_id = null, lease_until = null, attempts = 0 where lease_id = $1`,
);

/** The backup stays due. */
export const releaseBackup = async (db: Queryable, id: string): Promise<void> => {
  await db.query(releaseStatement, [id]);
};

const succeedStatement = sql(
  'succeed_backup',
  `update scheduled_backup set lease_id = null, lease_until = null, attempts = 0, due_at = $2, last_succeeded_at = now(),
     file = $3, size_bytes = $4, error = null, warned_at = null
   where lease_id = $1`,
);

export const noteSuccess = async (
  db: Queryable,
  { id, dueAt, name, sizeBytes }: { id: string; dueAt: Date; name: string; sizeBytes: number },
): Promise<void> => {
  await db.query(succeedStatement, [id, dueAt, name, sizeBytes]);
};

const failStatement = sql(
  'fail_backup',
  `update scheduled_backup set lease_id = null, lease_until = null, attempts = 0, due_at = $2, last_failed_at = now(),
     error = $3
   where lease_id = $1 returning last_succeeded_at`,
);

export interface Missing {
  last_succeeded_at: string | null;
}

/** @returns undefined when another server has taken over */
export const noteFailure = async (
  db: Queryable,
  { id, dueAt, error }: { id: string; dueAt: Date; error: string },
): Promise<Missing | undefined> => (await db.query<Missing>(failStatement, [id, dueAt, error]))[0];

const lateStatement = sql(
  'warn_of_late_backup',
  `update scheduled_backup set warned_at = now()
   where warned_at is null and error is null
     and coalesce(last_succeeded_at, planned_at) < now() - 2 * interval_seconds * interval '1 second'
     and coalesce(last_started_at, planned_at) < now() - interval_seconds * interval '1 second'
   returning last_succeeded_at`,
);

/** Whether there has been no backup for twice the time between two, without a failure that said so; once. */
export const noteLate = async (db: Queryable): Promise<Missing | undefined> =>
  (await db.query<Missing>(lateStatement))[0];
