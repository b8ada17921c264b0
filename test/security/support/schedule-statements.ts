/** What each statement of schedules does when it alone stands between two owners. */
import { randomUUID } from 'node:crypto';
import { TaskType } from '@berth/contract';
import type { Look } from './single-statements.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** A schedule of the owner that is due. */
const withSchedule =
  (look: (...input: [...Parameters<Look>, schedule: { id: string; nextAt: unknown }]) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const id = randomUUID();
    await tx.plant('delete from schedules', []);
    const [row] = await tx.plant(
      `insert into schedules (id, user_id, name, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled, next_at)
       values ($1, $2, 'S', '{}', ${TaskType.SCREENSHOT}, '{}', 0, '0 0 * * *', 'UTC', 'skip', true, now() - interval '1 minute')
       returning next_at`,
      [id, scene.owner.user.id],
    );
    return look(tx, scene, { id, nextAt: row?.next_at });
  };

export const anothersSchedules: Look[] = [
  withSchedule(
    async ({ run }, { stranger }) => (await run('list_schedules', [stranger.user.id, LOWEST_ID, 10])).length,
  ),
  withSchedule(({ run }, { stranger }) => run('count_schedules', [stranger.user.id])),
  ...['find_schedule', 'lock_schedule', 'delete_schedule'].map((name) =>
    withSchedule(async ({ run }, { stranger }, { id }) => (await run(name, [stranger.user.id, id])).length),
  ),
  withSchedule(
    async ({ run }, { stranger, terminalId }) =>
      (await run('list_own_terminals_of_schedule', [stranger.user.id, [terminalId]])).length,
  ),
  withSchedule(
    async ({ run }, { stranger }, { id, nextAt }) =>
      (await run('take_schedule', [id, stranger.user.id, nextAt])).length,
  ),
  withSchedule(async ({ run, plant }) => {
    await plant(`update schedules set next_at = now() + interval '1 hour'`, []);
    return (await run('list_due_schedules', [])).length;
  }),
];
