/** Two servers behind one address, of which one is stopped in mid-air: it takes connections and answers none. */
import { TaskStatus, TaskType } from '@berth/contract';
import { EventReader, SCHEDULER_LOCK, toTimes, waitFor, waitForAll, withClient, type TestStack } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { createTerminal, startLoad, toImpatient, useCluster } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const TIME_PERCENT = 50;
const SECOND = 'berth second';

const cluster = useCluster([{}], TIME_PERCENT);
const { servers, query } = cluster;
let token: string;
beforeAll(async () => {
  const url = new URL(servers[0]!.databaseUrl);
  url.searchParams.set('application_name', SECOND);
  await cluster.add({ BERTH_DATABASE_URL: url.href });
  ({ token } = await servers[0]!.register('Anytime'));
});

/** Who has the scheduler's turn, and waits for a lock. */
const WAITING_TURN = `select application_name as name from pg_stat_activity join pg_locks l using (pid)
  where wait_event_type = 'Lock' and locktype = 'advisory' and granted and objsubid = 1 and datname = current_database()
    and (l.classid::bigint << 32) + l.objid::bigint = $1`;

/** Stops the second server in a tick: it holds the scheduler's turn, and keeps it. */
const freezeInTurn = async ({ server }: TestStack): Promise<void> => {
  const tryOnce = () =>
    withClient(servers[0]!.databaseUrl, async (client) => {
      await client.query('begin');
      // A tick waits for it in its middle.
      await client.query('lock table task_leases in access exclusive mode');
      const findHolder = async () => (await query(WAITING_TURN, [SCHEDULER_LOCK]))[0]?.name as string | undefined;
      const holder = await waitFor(findHolder, { what: 'a tick that waits' });
      if (holder === SECOND) server.kill('SIGSTOP');
      await client.query('rollback');
      return holder === SECOND;
    });
  await waitFor(tryOnce, { what: 'a turn of the second server' });
};

const countEnds = async (ids: readonly string[]): Promise<number> =>
  (await query('select 1 from tasks where id = any($1::uuid[]) and finished_at is not null', [ids])).length;

it(
  'a cluster with a frozen server goes on with all work, loses none and does none twice',
  { timeout: TIMEOUT_MS },
  async () => {
    const [healthy, frozen] = servers as [TestStack, TestStack];
    const terminals = await Promise.all([7300, 7301, 7302].map((login) => createTerminal(healthy.url, token, login)));
    const reader = await EventReader.open(healthy.url, token);
    await waitFor(() => reader.dataOf('ready').length === 1);
    const impatient = toImpatient(cluster.client);
    const load = startLoad(impatient, token, terminals, { workers: 3, everyMs: 500 });
    await waitFor(() => load.accepted.length >= 6, { what: 'some load', timeoutMs: 120_000 });

    await freezeInTurn(frozen);
    const [stopped] = await query('select now()::text as at');
    const before = load.accepted.length;
    const hasTicked = async () =>
      (await query('select 1 from scheduler where completed_at > $1', [stopped!.at])).length > 0;
    // Longer, and every host would be lost.
    const { hostLostMs: timeoutMs } = toTimes(TIME_PERCENT);
    await waitFor(hasTicked, { what: 'a tick of the other server', timeoutMs });
    await waitFor(() => load.accepted.length >= before + 3, { what: 'tasks that are accepted', timeoutMs: 120_000 });
    const later = load.accepted.slice(before);
    await waitFor(async () => (await countEnds(later)) > 0, { what: 'the end of a later task', timeoutMs: 120_000 });
    const toldEnd = () =>
      reader.dataOf('task').some(({ id, status }) => later.includes(String(id)) && status === TaskStatus.COMPLETED);
    await waitFor(toldEnd, { what: 'the event of such an end' });

    frozen.server.kill('SIGCONT');
    await frozen.request('GET', '/readyz');
    await waitFor(() => load.accepted.length >= before + 12, { what: 'more load', timeoutMs: 120_000 });
    await load.finish();
    await waitForAll(() => countEnds(load.accepted), load.accepted.length, { what: 'the ends of the accepted tasks' });
    expect(load.refusals).toEqual([]);
    const ends = `select count(*)::int as tasks, bool_and(status = ${TaskStatus.COMPLETED}) as are_completed from tasks where type = $1`;
    const [end] = await query(ends, [TaskType.MARKET_WATCH_SHOW_ALL]);
    expect(end).toEqual({ tasks: load.accepted.length, are_completed: true });
    // A delivery that was just being answered is lost with the frozen server, and delivered again: started once all the same.
    const twice = `select task_id from task_history where to_status = ${TaskStatus.RUNNING} group by task_id having count(*) > 1`;
    expect(await query(twice)).toEqual([]);
    expect(await query(`select type from notifications where type like '%HostLost'`)).toEqual([]);
    reader.close();
  },
);
