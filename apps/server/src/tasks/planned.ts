/**
 * Planned tasks are last in the index of open tasks (`waits_until`), so that claims and ticks read none of those whose
 * time is to come. Once it has come they take their place among the others. Nobody waits for that: until then they are
 * found by their time (`queue.ts`).
 */
import { sql, type Queryable } from '../db/database.ts';

const MAX_PER_STATEMENT = 1_000;

const releaseStatement = sql(
  'release_planned_tasks',
  `with due as (
     select id from tasks where finished_at is null and waits_until <= now()
     order by waits_until limit $1 for update skip locked
   ), released as (
     update tasks set waits_until = null where id = any(array(select id from due)) returning id
   )
   select count(*) as count from released`,
);

/** Gives all planned tasks that are due their place in the queue, in batches. */
export const releasePlanned = async (db: Queryable, stopping: AbortSignal): Promise<void> => {
  let count = MAX_PER_STATEMENT;
  while (count === MAX_PER_STATEMENT && !stopping.aborted) {
    const [released] = await db.query<{ count: number }>(releaseStatement, [MAX_PER_STATEMENT]);
    count = released?.count ?? 0;
  }
};
