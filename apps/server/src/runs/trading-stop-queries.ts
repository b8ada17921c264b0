/**
 * The statements of a user's stop of all algo trading: which terminals it covers, what they confirmed, and which are to
 * be asked again. Terminals are locked before the rows of a stop.
 */
import { MAX_STOP_EXCEPTIONS, TaskType, TerminalStatus, type TradingStop } from '@berth/contract';
import { toIsByOperator } from '../accounts/closing.ts';
import { sql, type Queryable, type Statement } from '../db/database.ts';
import { RUNNING } from '../terminals/queries.ts';
import { toSwitchLock, turnsTradingOn } from '../tasks/queue.ts';
import { IS_STOPPABLE } from '../tasks/switched.ts';
import { SKIPPED } from './queries.ts';

const { DESTROYING } = TerminalStatus;

/** The first pause after which a terminal is asked again, doubled each time, and the longest ones. */
const PAUSE = { firstSeconds: 30, longestSeconds: 3_600, longestAfterChangeSeconds: 60, maxDoublings: 7 };

/** A terminal `t` whose algo trading is known to be on. */
const isOn = `(t.status in (${RUNNING.join(', ')}) and t.trading_allowed is not null
  and (t.trading_allowed or coalesce(t.trading_reason, '') <> 'terminal_switch'))`;

const members = `trading_stop_terminals m
  join terminals t on t.id = m.terminal_id and t.deleted_at is null and t.status <> ${DESTROYING}`;

const insertStatement = sql(
  'insert_trading_stop',
  `insert into trading_stops (user_id, run_id) values ($1, $2)
   on conflict (user_id) do update set run_id = excluded.run_id`,
);
// Asked for once more: what was confirmed and is on again needs another confirmation.
const insertMembersStatement = sql(
  'insert_trading_stop_terminals',
  `insert into trading_stop_terminals as old (terminal_id, user_id, asked_status, was_on)
   select t.id, t.user_id, t.status,
     case when t.status in (${RUNNING.join(', ')}) and t.trading_allowed is not null then ${isOn} end
   from (
     select terminal_id from bulk_run_items where run_id = $2 and state <> ${SKIPPED}
     union select unnest($3::uuid[])
   ) i cross join lateral (
     select id, user_id, status, trading_allowed, trading_reason from terminals
     where id = i.terminal_id and user_id = $1 offset 0
   ) t
   order by i.terminal_id
   on conflict (terminal_id) do update set
     asked_at = now(), asked_status = excluded.asked_status, tries = 0,
     since = case when old.confirmed_at is not null and excluded.was_on then now() else old.since end,
     confirmed_at = case when excluded.was_on then null else old.confirmed_at end`,
);

/**
 * Begins a stop of the terminals of a run and of those that move, or asks for it once more. Run it in the transaction that
 * creates the run.
 */
export const insertStop = async (
  tx: Queryable,
  userId: string,
  { runId, moving }: { runId: string; moving: readonly string[] },
): Promise<void> => {
  await tx.query(insertStatement, [userId, runId]);
  await tx.query(insertMembersStatement, [userId, runId, moving]);
};

const runsStatement = sql(
  'list_open_runs_turning_on',
  `select id from bulk_runs r
   where user_id = $1 and finished_at is null and canceled_at is null and ${turnsTradingOn('r')}`,
);
const tasksStatement = sql(
  'list_open_tasks_turning_on',
  `select id from tasks t where user_id = $1 and finished_at is null and ${turnsTradingOn('t')}`,
);
const movingStatement = sql(
  'hold_moving_terminals_of_user',
  `select t.id, ${IS_STOPPABLE} as is_asked from terminals t
   where t.user_id = $1 and exists (select from terminal_moves where terminal_id = t.id)
   order by t.id for update of t`,
);
const holdStatement = sql('hold_switch_of_user', `select pg_advisory_xact_lock(${toSwitchLock('$1::uuid')})`);
const deleteRestorationsStatement = sql(
  'delete_restorations_of_user',
  `delete from terminal_restorations r using terminals t where t.id = r.terminal_id and t.user_id = $1`,
);

const listIds = async (tx: Queryable, statement: Statement, userId: string): Promise<string[]> =>
  (await tx.query<{ id: string }>(statement, [userId])).map(({ id }) => id);

/** The user's runs that turn algo trading on, and have not ended. */
export const listRunsTurningOn = (tx: Queryable, userId: string) => listIds(tx, runsStatement, userId);

/** The user's tasks that turn algo trading on, and have not ended. */
export const listTasksTurningOn = (tx: Queryable, userId: string) => listIds(tx, tasksStatement, userId);

/** Moves of the user's terminals go on after the transaction. @returns those terminals that a stop would not ask */
export const holdMoving = async (tx: Queryable, userId: string): Promise<string[]> =>
  (await tx.query<{ id: string; is_asked: boolean }>(movingStatement, [userId]))
    .filter((row) => !row.is_asked)
    .map(({ id }) => id);

/** Until the transaction ends nothing else turns the user's trading on; what was about to is there, and can be found. */
export const holdSwitch = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(holdStatement, [userId]);
};

/** Algo trading is not turned on where terminals are being set up again. */
export const deleteRestorations = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteRestorationsStatement, [userId]);
};

const hasStatement = sql('has_trading_stop', `select from trading_stops where user_id = $1`);

export const hasStop = async (tx: Queryable, userId: string): Promise<boolean> =>
  (await tx.query(hasStatement, [userId])).length > 0;

const findStatement = sql(
  'find_trading_stop',
  `select s.started_at, ${toIsByOperator('s')} as is_by_operator, s.run_id, c.*, coalesce(e.exceptions, '[]') as exceptions
   from trading_stops s
   cross join lateral (
     select count(*)::int as total,
       count(*) filter (where m.confirmed_at is not null and not ${isOn})::int as confirmed,
       count(*) filter (where m.confirmed_at is null)::int as unconfirmed,
       count(*) filter (where m.confirmed_at is not null and ${isOn})::int as on_again,
       count(*) filter (where m.was_on)::int as was_on,
       count(*) filter (where m.was_on is null)::int as was_unknown
     from ${members} where m.user_id = s.user_id
   ) c
   cross join lateral (
     select json_agg(x) as exceptions from (
       select m.terminal_id, t.name, t.status, m.confirmed_at is not null as is_on_again,
         to_char(m.asked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as asked_at
       from ${members}
       where m.user_id = s.user_id and (m.confirmed_at is null or ${isOn})
       order by m.confirmed_at is not null, t.name, t.id limit ${MAX_STOP_EXCEPTIONS}
     ) x
   ) e
   where s.user_id = $1`,
);

export const findStop = async (db: Queryable, userId: string): Promise<TradingStop | null> =>
  (await db.query<TradingStop>(findStatement, [userId]))[0] ?? null;

const listWereOnStatement = sql(
  'list_terminals_that_were_on',
  `select m.terminal_id from ${members} where m.user_id = $1 and m.was_on order by m.user_id, m.terminal_id`,
);

/** Terminals of the user's stop whose algo trading was on when it began. */
export const listWereOn = async (tx: Queryable, userId: string): Promise<string[]> =>
  (await tx.query<{ terminal_id: string }>(listWereOnStatement, [userId])).map(({ terminal_id: id }) => id);

const deleteStatement = sql('delete_trading_stop', `delete from trading_stops where user_id = $1 returning user_id`);

/** Nothing is asked any more. @returns false where the user has no stop */
export const deleteStop = async (tx: Queryable, userId: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [userId])).length > 0;

// Another status than when it was asked last, as when its host is back, is a reason not to wait long. Its change is not:
// the switch itself may need a restart.
const takeStatement = sql(
  'take_unconfirmed_terminals',
  `with due as (
     select m.terminal_id, t.status
     from trading_stop_terminals m
     join terminals t on t.id = m.terminal_id and ${IS_STOPPABLE}
     where m.confirmed_at is null and m.asked_at <= now() - interval '${PAUSE.firstSeconds} seconds'
       and m.asked_at <= now() - interval '1 second' * least(${PAUSE.firstSeconds} * 2 ^ m.tries,
         case when t.status = m.asked_status then ${PAUSE.longestSeconds} else ${PAUSE.longestAfterChangeSeconds} end)
       and not exists (
         select from tasks
         where host_id = t.host_id and terminal_id = t.id and finished_at is null and lane = 0
           and type = ${TaskType.OPTIONS_AUTO_TRADE}
       )
     order by m.asked_at limit $1 for update of m skip locked
   )
   update trading_stop_terminals m
   set asked_at = now(), asked_status = due.status, tries = least(m.tries + 1, ${PAUSE.maxDoublings})
   from due where m.terminal_id = due.terminal_id
   returning m.user_id, m.terminal_id`,
);

/** Terminals that are to be asked again now, up to a limit: nobody else is given them for a while. */
export const takeUnconfirmed = (db: Queryable, limit: number): Promise<{ user_id: string; terminal_id: string }[]> =>
  db.query(takeStatement, [limit]);
