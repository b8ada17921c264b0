/** Three servers on one PostgreSQL behind a plain proxy; the host and the users reach any of them. */
import { TaskStatus, TaskType } from '@berth/contract';
import type { Berth } from '@berth/client';
import { waitFor, waitForAll, type TestStack } from '@berth/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTerminal, followLog, startLoad, useCluster } from './cluster.ts';

const TERMINALS = 3;
const TASKS = 32;
const TIMEOUT_MS = 600_000;

const cluster = useCluster([{}, {}, {}]);
const { servers } = cluster;
let token: string;
let berth: Berth;
beforeAll(async () => {
  ({ token, berth } = await cluster.client.register('Anywhere'));
});

const query = async (text: string, values: unknown[]) =>
  (await cluster.query<Record<string, number>>(text, values))[0]!;

describe('several servers on one PostgreSQL', { timeout: TIMEOUT_MS }, () => {
  it('several servers on one PostgreSQL refuse a revoked token at once, whichever of them revoked it', async () => {
    const { token: short } = await berth.account.tokens.create({ name: 'short-lived', abilities: ['read'] });
    const use = (server: TestStack) => server.request('GET', '/v1/my/account/profile', { token: short });
    for (const server of servers) expect((await use(server)).status).toBe(200);
    await berth.account.tokens.delete(Number(short.split('|')[0]));
    for (const server of servers) expect((await use(server)).status).toBe(401);
  });

  it('several servers on one PostgreSQL lose no task and do none twice when one of them is killed under load', async () => {
    const logins = Array.from({ length: TERMINALS }, (_, number) => 7100 + number);
    const terminals = await Promise.all(logins.map((login) => createTerminal(cluster.balancer.url, token, login)));
    const load = startLoad(cluster.client, token, terminals);
    const log = followLog(cluster.client, token);
    await waitFor(() => load.accepted.length >= TASKS / 4, { what: 'some load', timeoutMs: 120_000 });
    servers[1]!.server.kill('SIGKILL');
    const killedAt = Date.now();
    await waitFor(() => load.accepted.length >= TASKS, { what: 'the load', timeoutMs: 120_000 });
    await load.finish();
    expect(load.refusals).toEqual([]);
    const ended = `select count(*)::int as ended, count(*) filter (where status = ${TaskStatus.COMPLETED})::int as completed from tasks
      where id = any($1::uuid[]) and finished_at is not null`;
    const countEnds = async () => (await query(ended, [load.accepted])).ended ?? 0;
    await waitForAll(countEnds, load.accepted.length, { what: 'the ends of the accepted tasks' });
    expect((await query(ended, [load.accepted])).completed).toBe(load.accepted.length);
    const all = `select count(*)::int as tasks,
        (extract(epoch from min(delivered_at) filter (where delivered_at > to_timestamp($3))) - $3)::real as resumed_s
      from tasks where terminal_id = any($1::uuid[]) and type = $2`;
    const row = await query(all, [terminals, TaskType.MARKET_WATCH_SHOW_ALL, killedAt / 1000]);
    process.stdout.write(`claims went on ${row.resumed_s} s after the kill\n`);
    expect(row.tasks).toBe(load.accepted.length);
    // Who follows the log knows of each end once, whichever server wrote it and whichever was asked.
    const toEnded = () => log.events.flatMap((event) => (event.type === 'task.finished' ? [event.data.task_id] : []));
    const isTold = () => load.accepted.every((id) => toEnded().includes(id));
    await waitFor(isTold, { what: 'the event of every end', timeoutMs: 120_000 });
    await log.stop();
    expect(new Set(toEnded()).size).toBe(toEnded().length);
    const ids = log.events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });
});
