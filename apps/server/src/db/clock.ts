/**
 * SQL that holds although the clock of the database was set back: a time that is further ahead than it can be was written
 * before that, and is not believed. What has to wait for less follows the clock (scheduler/downtime.ts).
 */
import { sql, type Queryable } from './database.ts';

const nowStatement = sql('read_now', 'select now() as now');

/** The clock that says what is due: those of servers may be hours apart. */
export const readNow = async (db: Queryable): Promise<Date> =>
  new Date((await db.query<{ now: string }>(nowStatement))[0]!.now);

/** A time near now, before or after it. */
export const isWithin = (time: string, span: string): string => `${time} between now() - ${span} and now() + ${span}`;

/**
 * Longer than transactions last. `now()` is the time at which a transaction began: one that waited for the row reads what
 * another wrote that began after it, by a clock that was never set back.
 */
const TRANSACTION = `interval '1 minute'`;

/** A time that was ahead when it was written, by no more than the span, and is over now. Also where there is none. */
export const isOver = (until: string, span: string): string =>
  `(${until} is null or ${until} <= now() or ${until} > now() + ${span} + ${TRANSACTION})`;

/** A server ticks, as one has since before the span. A clock that jumps ahead counts as a downtime, also before the next tick. */
export const isUpFor = (span: string): string =>
  `(select last_run_at > now() - interval '1 minute' and downtime_ended_at < now() - ${span} from scheduler)`;
