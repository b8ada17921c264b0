/** The statements of schedules. */
import type { Schedule, ScheduleRun, TaskType } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** A schedule as it is stored. */
export interface ScheduleRow extends Omit<Schedule, 'next_runs'> {
  /** By the database's clock, as all that is due. */
  now: string;
}
/** What its owner sets. */
export type ScheduleSettings = Omit<ScheduleRow, 'id' | 'last_run' | 'created_at' | 'updated_at' | 'now'>;

const columns = `id, name, terminal_ids, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled, last_run,
  created_at, updated_at, now() as now`;

const listStatement = sql(
  'list_schedules',
  `select ${columns} from schedules where user_id = $1 and id > $2 order by id limit $3`,
);

/** The user's schedules, oldest first. @param after the id of the last one that was seen */
export const listSchedules = (db: Queryable, userId: string, after: string, limit: number): Promise<ScheduleRow[]> =>
  db.query(listStatement, [userId, after, limit]);

const findStatement = sql('find_schedule', `select ${columns} from schedules where user_id = $1 and id = $2`);

export const findSchedule = async (db: Queryable, userId: string, id: string): Promise<ScheduleRow | undefined> =>
  (await db.query<ScheduleRow>(findStatement, [userId, id]))[0];

const lockStatement = sql(
  'lock_schedule',
  `select ${columns} from schedules where user_id = $1 and id = $2 for no key update`,
);

export const lockSchedule = async (tx: Queryable, userId: string, id: string): Promise<ScheduleRow | undefined> =>
  (await tx.query<ScheduleRow>(lockStatement, [userId, id]))[0];

const countStatement = sql('count_schedules', `select count(*) as total from schedules where user_id = $1`);

/** How many schedules the user has. Exact where the transaction has locked the user. */
export const countSchedules = async (tx: Queryable, userId: string): Promise<number> =>
  (await tx.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;

const ownStatement = sql(
  'list_own_terminals_of_schedule',
  `select id from terminals where user_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
);

/** Those of the terminals that are the user's. */
export const listOwnTerminals = async (tx: Queryable, userId: string, ids: readonly string[]): Promise<string[]> =>
  (await tx.query<{ id: string }>(ownStatement, [userId, ids])).map(({ id }) => id);

const toValues = (settings: ScheduleSettings, nextAt: Date | null): unknown[] => {
  const { name, terminal_ids, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled } = settings;
  const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  const work = [type, json(payload), stagger_seconds];
  return [name, terminal_ids, json(filter), ...work, cron, time_zone, missed, enabled, nextAt];
};

const insertStatement = sql(
  'insert_schedule',
  `insert into schedules (id, user_id, name, terminal_ids, filter, type, payload, stagger_seconds, cron, time_zone, missed,
     enabled, next_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ${columns}`,
);

export const insertSchedule = async (
  tx: Queryable,
  of: { id: string; userId: string },
  settings: ScheduleSettings,
  nextAt: Date | null,
): Promise<ScheduleRow> =>
  (await tx.query<ScheduleRow>(insertStatement, [of.id, of.userId, ...toValues(settings, nextAt)]))[0]!;

const writeStatement = sql(
  'write_schedule',
  `update schedules set name = $2, terminal_ids = $3, filter = $4, type = $5, payload = $6, stagger_seconds = $7, cron = $8,
     time_zone = $9, missed = $10, enabled = $11, next_at = $12, planned_at = now(), waits_since = null, updated_at = now()
   where id = $1 returning ${columns}`,
);

/** Writes the settings of a schedule that the transaction has locked. */
export const writeSchedule = async (
  tx: Queryable,
  id: string,
  settings: ScheduleSettings,
  nextAt: Date | null,
): Promise<ScheduleRow> => (await tx.query<ScheduleRow>(writeStatement, [id, ...toValues(settings, nextAt)]))[0]!;

const deleteStatement = sql('delete_schedule', `delete from schedules where user_id = $1 and id = $2 returning id`);

/** @returns whether there was one */
export const deleteSchedule = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [userId, id])).length > 0;

const dueStatement = sql(
  'list_due_schedules',
  `select distinct on (s.user_id) s.id, s.user_id, s.next_at from schedules s
   cross join lateral (select status from users where id = s.user_id offset 0) u
   where s.next_at <= now() and u.status = 0 order by s.user_id, s.next_at`,
);

/** A schedule that is due. */
export interface DueSchedule {
  id: string;
  user_id: string;
  next_at: string;
}

/** One of each user: that which has been due for longest. */
export const listDueSchedules = (db: Queryable): Promise<DueSchedule[]> => db.query(dueStatement, []);

const takeStatement = sql(
  'take_schedule',
  `select ${columns}, least(coalesce(waits_since, next_at), now()) as due_at
   from schedules where id = $1 and user_id = $2 and next_at = $3 and next_at <= now() for no key update skip locked`,
);

export interface TakenSchedule extends ScheduleRow {
  type: TaskType;
  due_at: string;
}

/** Until the transaction ends nobody else runs it. @returns undefined: another server has it, or it was changed */
export const takeSchedule = async (
  tx: Queryable,
  { id, user_id, next_at }: DueSchedule,
): Promise<TakenSchedule | undefined> => (await tx.query<TakenSchedule>(takeStatement, [id, user_id, next_at]))[0];

const noteStatement = sql(
  'note_schedule_run',
  `update schedules set last_run = $2, next_at = $3, planned_at = now(), waits_since = null where id = $1`,
);

/** Notes what came of a schedule that the transaction has taken, and when it is due next. */
export const noteScheduleRun = async (
  tx: Queryable,
  id: string,
  run: ScheduleRun,
  nextAt: Date | null,
): Promise<void> => {
  await tx.query(noteStatement, [id, JSON.stringify(run), nextAt]);
};

const postponeStatement = sql(
  'postpone_schedule',
  `update schedules set next_at = now() + $2 * interval '1 second', planned_at = now(), waits_since = coalesce(waits_since, next_at)
   where id = $1`,
);

/** Has a schedule that the transaction has taken tried again a little later. */
export const postponeSchedule = async (tx: Queryable, id: string, seconds: number): Promise<void> => {
  await tx.query(postponeStatement, [id, seconds]);
};

const aheadStatement = sql(
  'list_schedules_planned_ahead',
  `select ${columns} from schedules where next_at is not null and planned_at > now() order by planned_at limit $1`,
);

/** Those whose next time was computed by a clock that was ahead, and was set back since. */
export const listPlannedAhead = (db: Queryable, limit: number): Promise<ScheduleRow[]> =>
  db.query(aheadStatement, [limit]);

const planStatement = sql(
  'plan_schedule',
  `update schedules set next_at = case when waits_since is null then $2::timestamptz else now() end, planned_at = now()
   where id = $1 and next_at is not null and planned_at > now()`,
);

/** Says anew when such a schedule is due. A run that waits for room is not forgotten for that. */
export const planSchedule = async (db: Queryable, id: string, nextAt: Date | null): Promise<void> => {
  await db.query(planStatement, [id, nextAt]);
};
