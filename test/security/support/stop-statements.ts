/** What the statements of stops do for one user while another one has a stop. */
import type { Look } from './single-statements.ts';

const STOP = `insert into trading_stops (user_id, run_id) values ($1, $2)`;
const MEMBER = `insert into trading_stop_terminals (terminal_id, user_id, asked_status, was_on) values ($1, $2, 3, true)`;

export const anothersStops: Look[] = [
  async ({ run, plant }, { owner, stranger, runId, terminalId }) => {
    await plant(STOP, [owner.user.id, runId]);
    await plant(MEMBER, [terminalId, owner.user.id]);
    const seen = [];
    for (const { id } of [owner.user, stranger.user]) {
      const [stop] = await run('find_trading_stop', [id]);
      seen.push([
        stop?.total,
        (stop?.exceptions as unknown[] | undefined)?.length,
        (await run('list_terminals_that_were_on', [id])).length,
      ]);
    }
    const readiness = [];
    for (const { id } of [owner.user, stranger.user]) {
      const [found] = await run('find_stop_readiness', [id]);
      readiness.push([found?.total, found?.reached, found?.unchecked]);
    }
    seen.push(readiness);
    await run('delete_trading_stop', [stranger.user.id]);
    return [...seen, await plant('select count(*) as total from trading_stops where user_id = $1', [owner.user.id])];
  },
  // A run of somebody else brings none of its terminals into a stop.
  async ({ run, plant }, { stranger, runId }) => {
    await plant(STOP, [stranger.user.id, runId]);
    await run('insert_trading_stop_terminals', [stranger.user.id, runId]);
    return plant('select count(*) as total from trading_stop_terminals where user_id = $1', [stranger.user.id]);
  },
];
