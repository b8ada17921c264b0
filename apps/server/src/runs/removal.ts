/**
 * Statements that remove runs before their week is over: those that a user dismisses, and those beyond a user's limits.
 */
import { sql, type Queryable } from '../db/database.ts';

/**
 * Runs whose members do not exist end at once, so without a limit they could fill the disk. A user's newest runs are
 * always kept, and so are open ones.
 */
const forgetStatement = sql(
  'forget_old_bulk_runs',
  `delete from bulk_runs where id in (
     select id from (
       select id, finished_at, row_number() over newest as place, sum(total) over newest as members
       from bulk_runs where user_id = $1 window newest as (order by created_at desc, id desc)
     ) kept
     where finished_at is not null and (place > $2 or (members > $3 and place > $4))
   )`,
);

/** Removes what exceeds a user's limits: of runs, or of members in all of them. */
export const forgetOldRuns = async (
  tx: Queryable,
  userId: string,
  { runs, members, newest }: { runs: number; members: number; newest: number },
): Promise<void> => {
  await tx.query(forgetStatement, [userId, runs, members, newest]);
};

const deleteStatement = sql(
  'delete_bulk_run',
  `delete from bulk_runs where id = $1 and user_id = $2 and finished_at is not null returning id`,
);

/** @returns false where the user has no such run that has ended */
export const deleteRun = async (db: Queryable, userId: string, id: string): Promise<boolean> =>
  (await db.query(deleteStatement, [id, userId])).length > 0;
