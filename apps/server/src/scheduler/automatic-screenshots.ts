/**
 * Takes the automatic screenshots: an ordinary SCREENSHOT, when it is the terminal's turn, unless the
 * terminal does not run, its host is away, or anything else is to be done on it. A turn that is passed over is lost, so that
 * there is never more than one such task of a terminal, and none stands before a user's.
 *
 * They are kept for as long as the next two dozen take, a day at the most (two turns at the least, so that one is always
 * there). So a terminal never has more than some thirty, however often they are taken, and their files may fill half of what
 * the account's plan allows (`api/v1/agent.ts`).
 *
 * Every server does it; turns that another one takes are passed over.
 */
import { HostStatus, TaskType, TerminalStatus } from '@berth/contract';
import { sql, type Store, type Transaction } from '../db/database.ts';
import { createTasks, type TaskCreationParts } from '../tasks/create-task.ts';

const MAX_TURNS = 500;
const KEPT = 24;
const MAX_MINUTES = 24 * 60;
const MIN_KEPT = 2;

/** It has a window that a screenshot can be taken of. */
const running = [TerminalStatus.ACTIVE, TerminalStatus.DISCONNECTED, TerminalStatus.LOGIN_FAILED];

const isDue = 'next_at <= now()';
/** A clock that was ahead and was set back leaves turns that are too far away: they are taken, too. */
const isTooFar = `next_at > now() + interval '2 days'`;

/** Each of the two is a range of the index: by one condition for both, all turns would be read to find the last one. */
const takeStatement = sql(
  'take_screenshot_turns',
  `with due as (
     select terminal_id from screenshot_turns
     where (${isDue} or ${isTooFar}) and terminal_id = any(array(
       (select terminal_id from screenshot_turns where ${isDue} order by next_at limit $1)
       union all
       (select terminal_id from screenshot_turns where ${isTooFar} order by next_at limit $1)
       limit $1
     ))
     for update skip locked
   ), turned as (
     update screenshot_turns s set next_at = now() + t.screenshot_every_minutes * interval '1 minute'
     from due d join terminals t on t.id = d.terminal_id
     where s.terminal_id = d.terminal_id and t.deleted_at is null and t.screenshot_every_minutes is not null
     returning t.id, t.user_id, t.host_id, t.status, t.screenshot_every_minutes
   ), over as (
     delete from screenshot_turns s using due d join terminals t on t.id = d.terminal_id
     where s.terminal_id = d.terminal_id and (t.deleted_at is not null or t.screenshot_every_minutes is null)
   )
   select d.terminal_id, t.user_id, t.screenshot_every_minutes,
     t.status in (${running.join(', ')})
       and (select h.status from hosts h where h.id = t.host_id) = ${HostStatus.ONLINE}
       and (
         select o.id from tasks o where o.host_id = t.host_id and o.terminal_id = t.id and o.finished_at is null
           and (o.planned_at is null or o.planned_at <= now()) limit 1
       ) is null as is_free
   from due d left join turned t on t.id = d.terminal_id`,
);

const noteStatement = sql(
  'note_automatic_screenshots',
  `insert into automatic_screenshots (task_id, expires_at)
   select id, now() + minutes * interval '1 minute' from unnest($1::uuid[], $2::integer[]) as n (id, minutes)`,
);

interface Turn {
  terminal_id: string;
  user_id: string;
  screenshot_every_minutes: number;
  /** null: they were switched off. */
  is_free: boolean | null;
}

/** How long a screenshot is kept that is taken every so many minutes. */
export const toKeptMinutes = (everyMinutes: number): number =>
  Math.max(MIN_KEPT * everyMinutes, Math.min(KEPT * everyMinutes, MAX_MINUTES));

export interface AutomaticScreenshotsParts extends TaskCreationParts {
  db: Pick<Store, 'transaction'>;
  stopping: AbortSignal;
}

export class AutomaticScreenshots {
  readonly #parts: AutomaticScreenshotsParts;

  constructor(parts: AutomaticScreenshotsParts) {
    this.#parts = parts;
  }

  /** Queues every screenshot whose turn it is. */
  async takeTurns(): Promise<void> {
    const { db, stopping } = this.#parts;
    let count = MAX_TURNS;
    while (count === MAX_TURNS && !stopping.aborted) count = await db.transaction((tx) => this.#takeSome(tx));
  }

  /** @returns how many turns there were */
  async #takeSome(tx: Transaction): Promise<number> {
    const turns = await tx.query<Turn>(takeStatement, [MAX_TURNS]);
    const free = turns.filter((turn) => turn.is_free);
    if (free.length === 0) return turns.length;
    const outcomes = await createTasks(
      tx,
      this.#parts,
      free.map(({ user_id: userId, terminal_id: terminalId }) => {
        return { userId, terminalId, type: TaskType.SCREENSHOT, payload: {}, actor: 'service' };
      }),
    );
    const noted = outcomes.flatMap((outcome, index) => {
      return outcome.kind === 'created' ? { id: outcome.id, minutes: free[index]!.screenshot_every_minutes } : [];
    });
    await tx.query(noteStatement, [noted.map(({ id }) => id), noted.map(({ minutes }) => toKeptMinutes(minutes))]);
    return turns.length;
  }
}
