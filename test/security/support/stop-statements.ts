/** What the statements of stops do for one user while another one has a stop. */
import { randomUUID } from 'node:crypto';
import { TaskType, TerminalStatus } from '@berth/contract';
import type { Look } from './single-statements.ts';

const STOP = `insert into trading_stops (user_id, run_id) values ($1, $2)`;
/** The stop began with a suspension. */
const SUSPENDED = `update users u set suspended_at = s.started_at from trading_stops s where s.user_id = u.id and u.id = $1`;
const MEMBER = `insert into trading_stop_terminals (terminal_id, user_id, asked_status, was_on) values ($1, $2, 3, true)`;

const ON_HOST = `update terminals set host_id = $2, status = ${TerminalStatus.ACTIVE} where id = $1`;
const CHECK = `insert into switch_checks (terminal_id, host_id, ms) values ($1, $2, 1)`;

const TURNS_ON = `type = ${TaskType.OPTIONS_AUTO_TRADE}, payload = '{"allow_algo_trading": 1}'`;

/** Of what the owner has, how much the stranger's stop finds, and how much the owner's own one does. */
const findBoth =
  (name: string, prepare: Look): Look =>
  async (tx, scene) => {
    await prepare(tx, scene);
    const [stranger, owner] = [scene.stranger.user.id, scene.owner.user.id];
    return [(await tx.run(name, [stranger])).length, (await tx.run(name, [owner])).length];
  };

const plantRestorations: Look = async ({ plant }, { terminalId, strangersTerminalId }) => {
  await plant('delete from terminal_restorations', []);
  await plant(`insert into terminal_restorations (terminal_id, task_ids) values ($1, '{}'), ($2, '{}')`, [
    terminalId,
    strangersTerminalId,
  ]);
};

/** What a stop of all algo trading ends, and what has to wait for it. */
const whatTurnsOn: Look[] = [
  findBoth('list_open_runs_turning_on', ({ plant }, { runId }) =>
    plant(`update bulk_runs set ${TURNS_ON}, finished_at = null, canceled_at = null where id = $1`, [runId]),
  ),
  findBoth('list_open_tasks_turning_on', ({ plant }, { owner, terminalId }) =>
    plant(
      `insert into tasks (id, user_id, terminal_id, type, payload)
       values ($1, $2, $3, ${TaskType.OPTIONS_AUTO_TRADE}, '{"allow_algo_trading": 1}')`,
      [randomUUID(), owner.user.id, terminalId],
    ),
  ),
  findBoth('hold_moving_terminals_of_user', async ({ plant }, { host, otherHost, terminalId }) => {
    await plant('delete from terminal_moves', []);
    await plant(
      `insert into terminal_moves (terminal_id, source_host_id, target_host_id, source_region, target_region, phase)
       values ($1, $2, $3, 0, 0, 'stopping')`,
      [terminalId, host.id, otherHost.id],
    );
  }),
  findBoth('has_trading_stop', ({ plant }, { owner, runId }) => plant(STOP, [owner.user.id, runId])),
  async (tx, scene) => {
    await plantRestorations(tx, scene);
    const held = (await tx.run('hold_restored_terminals', [[scene.terminalId]])).length;
    await tx.run('delete_restorations_of_user', [scene.stranger.user.id]);
    return [held, (await tx.plant('select from terminal_restorations', [])).length];
  },
];

export const anothersStops: Look[] = [
  ...whatTurnsOn,
  async ({ run, plant }, { owner, stranger, runId, terminalId, strangersTerminalId }) => {
    await plant(STOP, [owner.user.id, runId]);
    await plant(STOP, [stranger.user.id, runId]);
    await plant(MEMBER, [terminalId, owner.user.id]);
    await plant(MEMBER, [strangersTerminalId, stranger.user.id]);
    await plant(SUSPENDED, [stranger.user.id]);
    const seen = [];
    for (const { id } of [owner.user, stranger.user]) {
      const stops = await run('find_trading_stop', [id]);
      const [stop] = stops;
      seen.push([
        stops.length,
        stop?.total,
        stop?.is_by_operator,
        (stop?.exceptions as unknown[] | undefined)?.length,
        (await run('list_terminals_that_were_on', [id])).length,
      ]);
    }
    await run('delete_trading_stop', [stranger.user.id]);
    return [...seen, await plant('select count(*) as total from trading_stops where user_id = $1', [owner.user.id])];
  },
  // A run of somebody else brings none of its terminals into a stop.
  async ({ run, plant }, { stranger, runId }) => {
    await plant(STOP, [stranger.user.id, runId]);
    await run('insert_trading_stop_terminals', [stranger.user.id, runId, []]);
    return plant('select count(*) as total from trading_stop_terminals where user_id = $1', [stranger.user.id]);
  },
  // A check by another host than the terminal is on now is none.
  async ({ run, plant }, { owner, stranger, host, otherHost, terminalId }) => {
    await plant(ON_HOST, [terminalId, host.id]);
    await plant(CHECK, [terminalId, otherHost.id]);
    const readiness = [];
    for (const { id } of [owner.user, stranger.user]) {
      const [found] = await run('find_stop_readiness', [id]);
      readiness.push([found?.total, found?.reached]);
    }
    return readiness;
  },
  async ({ run, plant }, { host, otherHost, terminalId }) => {
    await plant(ON_HOST, [terminalId, host.id]);
    await plant(CHECK, [terminalId, otherHost.id]);
    const isDue = async (id: string) => {
      const due = await run('list_due_switch_checks', [id]);
      return due.some((row) => row.id === terminalId);
    };
    return [await isDue(host.id), await isDue(otherHost.id)];
  },
  // Only the host of the terminal is due, and it only for this terminal.
  async ({ run, plant }, { host, otherHost, terminalId }) => {
    await plant(ON_HOST, [terminalId, host.id]);
    await plant('update hosts set checks_asked_at = case when id = $1 then null else now() end', [host.id]);
    await plant(
      `insert into switch_checks (terminal_id, host_id, ms) select id, host_id, 1 from terminals
       where host_id = $1 and deleted_at is null on conflict (terminal_id) do update set host_id = excluded.host_id, checked_at = now()`,
      [host.id],
    );
    await plant(`update switch_checks set host_id = $2 where terminal_id = $1`, [terminalId, otherHost.id]);
    return (await run('ask_for_switch_checks', [])).length;
  },
  async ({ run, plant }, { host, otherHost, terminalId }) => {
    await plant(ON_HOST, [terminalId, host.id]);
    return run('take_switch_checks', [otherHost.id, [terminalId], [1], [null]]);
  },
];
