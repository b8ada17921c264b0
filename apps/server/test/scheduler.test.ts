/** What the scheduler makes of time: downtimes of any length, clocks that are set, ticks that fail, and who hears of it. */
import { randomUUID } from 'node:crypto';
import { HostStatus, QUEUED_DEADLINE_MS, TaskStatus } from '@berth/contract';
import {
  startWebhookReceiver,
  usualTimes,
  waitFor,
  withClient,
  toErrorBody,
  useTestServer,
  LOOPBACK,
  type TestServer,
} from '@berth/testing';
import type { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { failOverdueStatement } from '../src/tasks/transitions.ts';
import { SchedulerPulse } from '../src/scheduler/pulse.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import type { Store } from '../src/db/database.ts';
import { SCHEDULER_LOCK } from '../src/db/locks.ts';
import { listStatements } from '../src/db/statement.ts';

const HOUR_MS = 3_600_000;
const times = { ...usualTimes, tickMs: 50, downtimeMs: 3_000 };
const NEVER = '00000000-0000-4000-8000-000000000000';

const server = useTestServer({
  config: { times, outbound: LOOPBACK },
});

const query: TestServer['query'] = (text, values) => server.query(text, values);

const readScheduler = async () => (await query('select *, completed_at::text as at from scheduler'))[0]!;

const waitForTick = async (): Promise<void> => {
  const { at } = await readScheduler();
  await waitFor(async () => (await readScheduler()).at !== at, { what: 'a completed tick' });
};

/** Runs it while no server of Berth ticks: a connection of the test's own holds the scheduler's lock. */
const withoutTicks = (run: (client: Client) => Promise<unknown>): Promise<void> =>
  withClient(server.databaseUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [SCHEDULER_LOCK]);
    await run(client);
  });

interface Task {
  status?: number;
  since: string;
  availableAt?: string;
}

const insertTask = async ({ status = TaskStatus.QUEUED, since, availableAt = 'null' }: Task): Promise<string> => {
  const id = randomUUID();
  await query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status, state_since, available_at)
     values ($1, $2, $2, $2, 5, $3, ${since}, ${availableAt})`,
    [id, NEVER, status],
  );
  return id;
};

const countOverdue = async (id: string): Promise<number> => {
  let count = 0;
  const undone = new Error('undone');
  const look = server.services.db.transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(failOverdueStatement, ['{}', QUEUED_DEADLINE_MS, 100]);
    count = rows.filter((row) => row.id === id).length;
    throw undone;
  });
  await expect(look).rejects.toBe(undone);
  return count;
};

it.each(['25 days', '400 days', '30 years', '-1 hour', '-60 days', '-30 years'])(
  'a downtime between two ticks of %s is no reason to stop: the next tick is completed',
  async (downtime) => {
    await withoutTicks(async (client) => {
      await client.query(`update scheduler set last_run_at = now() - interval '${downtime}'`);
    });
    const { at } = await readScheduler();
    await waitFor(async () => (await readScheduler()).at !== at, { what: 'a completed tick' });
    await waitFor(async () => Math.abs((await readScheduler()).last_run_at.getTime() - Date.now()) < HOUR_MS);
  },
);

it('a downtime between two ticks does not count as time in the queue, however often there is one', async () => {
  let id = '';
  await withoutTicks(async (client) => {
    id = await insertTask({ since: `now() - interval '30 days 70 minutes'` });
    await client.query(`update scheduler set last_run_at = now() - interval '20 days', downtime_ended_at = now() - interval '20 days',
        queue_downtime = '10 days 20 minutes'`);
  });
  await waitFor(async () => (await readScheduler()).downtime_ended_at.getTime() > Date.now() - HOUR_MS);
  expect(await countOverdue(id)).toBe(0);
  // An hour of a server's time after the downtime it is over, whatever was compensated for.
  await withoutTicks(async (client) => {
    await client.query(`update scheduler set downtime_ended_at = now() - interval '61 minutes'`);
    expect(await countOverdue(id)).toBe(1);
    await client.query('delete from tasks where id = $1', [id]);
  });
});

it('a downtime between two ticks proves nothing against hosts and leases, which are not touched for it', async () => {
  const hostId = randomUUID();
  const terminalId = randomUUID();
  await withoutTicks(async (client) => {
    await client.query(
      `insert into hosts (id, region_id, name, platforms, capacity, status, last_seen_at)
         values ($1, 0, 'h', '{sandbox}', 1, 1, now() - interval '40 days')`,
      [hostId],
    );
    await client.query(
      `insert into task_leases (terminal_id, task_id, host_id, fence, expires_at, deadline_at)
         values ($1, $2, $3, 1, now() - interval '40 days', now() - interval '40 days')`,
      [terminalId, NEVER, hostId],
    );
    await client.query(`update scheduler set last_run_at = now() - interval '40 days'`);
  });
  await waitForTick();
  await waitForTick();
  const [host] = await query(
    "select status, last_seen_at < now() - interval '1 day' as is_old from hosts where id = $1",
    [hostId],
  );
  expect(host).toEqual({ status: HostStatus.ONLINE, is_old: true });
  await query(`update scheduler set downtime_ended_at = now() - interval '1 hour'`);
  await waitFor(
    async () => (await query('select status from hosts where id = $1', [hostId]))[0]!.status === HostStatus.LOST,
    {
      what: 'the host to be lost once it had its time',
    },
  );
  await query('delete from task_leases where terminal_id = $1', [terminalId]);
});

describe('a clock that is set forward in the middle of a tick', () => {
  /** Ticks once, and the clock is set before the tick's transaction of this number: everything was an hour earlier. */
  const tickWithSetClock = async (id: string, number: number): Promise<void> => {
    const { services } = server;
    let count = 0;
    const db: Pick<Store, 'transaction'> = {
      transaction: async (callback) => {
        count += 1;
        // Not while the server's own scheduler notes its tick, which would write over it.
        if (count === number) {
          await withoutTicks((client) =>
            client.query(
              `with older as (update tasks set state_since = state_since - interval '1 hour' where id = $1)
             update scheduler set last_run_at = last_run_at - interval '1 hour'`,
              [id],
            ),
          );
        }
        return services.db.transaction(callback);
      },
    };
    // Where the server's own scheduler has the turn, another time.
    await waitFor(
      async () => {
        count = 0;
        await new Scheduler({ ...services, db: db as Store }).tick();
        return count >= number;
      },
      { what: 'a tick of its own' },
    );
  };

  it.each([
    ['before its work', 2],
    ['before it is noted as completed', 3],
  ])('%s, makes no task overdue', async (_, number) => {
    // No downtime of before counts any more.
    await query(`update scheduler set downtime_ended_at = now() - interval '1 day', queue_downtime = '0'`);
    const id = await insertTask({ since: `now() - interval '5 minutes'` });
    await tickWithSetClock(id, number);
    const [task] = await query('select status from tasks where id = $1', [id]);
    expect(task).toEqual({ status: TaskStatus.QUEUED });
    await waitForTick();
    expect(await countOverdue(id)).toBe(0);
    await query('delete from tasks where id = $1', [id]);
  });
});

describe('a queue that no host takes from', () => {
  const DAY_AGO = `now() - interval '1 day'`;
  const TWO_HOURS_AGO = `now() - interval '2 hours'`;
  const HALF_AN_HOUR_AGO = `now() - interval '30 minutes'`;
  const { PENDING, QUEUED, RUNNING } = TaskStatus;

  /** Tasks of one terminal, in their order. */
  const insertQueue = async (tasks: { status: TaskStatus; since: string; planned?: string }[]): Promise<string[]> => {
    const place = randomUUID();
    const ids: string[] = [];
    for (const { status, since, planned = 'null' } of tasks) {
      const id = randomUUID();
      await query(
        `insert into tasks (id, user_id, host_id, terminal_id, type, status, state_since, planned_at)
         values ($1, $2, $2, $2, 5, $3, ${since}, ${planned})`,
        [id, place, status],
      );
      ids.push(id);
    }
    return ids;
  };
  const failOverdue = async (max: number): Promise<Set<string>> => {
    const rows = await server.services.db.query<{ id: string }>(failOverdueStatement, ['{}', QUEUED_DEADLINE_MS, max]);
    return new Set(rows.map(({ id }) => id));
  };
  beforeAll(() => query(`update scheduler set downtime_ended_at = now() - interval '1 day', queue_downtime = '0'`));

  it('a queue that no host takes from ends together with its head, all of it that was due for an hour; the rest has its own hour', async () => {
    await withoutTicks(async () => {
      const late = Array.from({ length: 30 }, () => ({ status: PENDING, since: DAY_AGO }));
      const ids = await insertQueue([
        { status: QUEUED, since: TWO_HOURS_AGO },
        ...late,
        { status: PENDING, since: DAY_AGO, planned: HALF_AN_HOUR_AGO },
        { status: PENDING, since: HALF_AN_HOUR_AGO },
        { status: PENDING, since: DAY_AGO, planned: `now() + interval '1 day'` },
      ]);
      expect(await failOverdue(1_000)).toEqual(new Set(ids.slice(0, 31)));
      expect(await failOverdue(1_000)).toEqual(new Set());
      await query('delete from tasks where id = any($1)', [ids]);
    });
  });

  it('a queue that no host takes from ends in batches, its head last, so that none of the rest becomes a head and waits another hour', async () => {
    await withoutTicks(async () => {
      const late = Array.from({ length: 5 }, () => ({ status: PENDING, since: DAY_AGO }));
      const [head, ...others] = await insertQueue([{ status: QUEUED, since: TWO_HOURS_AGO }, ...late]);
      const ended = [await failOverdue(3), await failOverdue(3)];
      expect(ended[0]!.has(head!)).toBe(false);
      expect(new Set([...ended[0]!, ...ended[1]!])).toEqual(new Set([head, ...others]));
      await query('delete from tasks where id = any($1)', [[head, ...others]]);
    });
  });

  it('a queue that no host takes from is left alone, however old it is, while its host works on it', async () => {
    await withoutTicks(async () => {
      const late = Array.from({ length: 3 }, () => ({ status: PENDING, since: DAY_AGO }));
      const running = await insertQueue([{ status: RUNNING, since: HALF_AN_HOUR_AGO }, ...late]);
      const queued = await insertQueue([{ status: QUEUED, since: HALF_AN_HOUR_AGO }, ...late]);
      expect(await failOverdue(1_000)).toEqual(new Set());
      await query('delete from tasks where id = any($1)', [[...running, ...queued]]);
    });
  });
});

it('a clock that was set back takes back-offs, queues and leases along, as many as there are', async () => {
  const count = 6_000;
  const lease = randomUUID();
  await withoutTicks(async (client) => {
    await client.query(
      `insert into tasks (id, user_id, terminal_id, type, status, state_since, available_at)
         select gen_random_uuid(), $1, $1, 5, 1, now() + interval '50 minutes', now() + interval '61 minutes'
         from generate_series(1, $2::int)`,
      [NEVER, count],
    );
    await client.query(
      `insert into task_leases (terminal_id, task_id, host_id, fence, expires_at, deadline_at)
         values ($1, $2, $2, 1, now() + interval '1 hour', now() + interval '62 minutes')`,
      [lease, NEVER],
    );
    await client.query(`update scheduler set last_run_at = now() + interval '1 hour'`);
  });
  const isSettled = async () => {
    const { last_run_at: ranAt, set_back: back } = await readScheduler();
    return ranAt.getTime() < Date.now() + 60_000 && Object.keys(back as object).length === 0;
  };
  await waitFor(isSettled, { what: 'all rows to follow the clock' });
  const [late] = await query(
    `select count(*)::int as late from tasks
       where user_id = $1 and (state_since > now() - interval '9 minutes' or available_at > now() + interval '2 minutes')`,
    [NEVER],
  );
  expect(late).toEqual({ late: 0 });
  const [row] = await query(
    `select expires_at <= now() + interval '31 seconds' as is_short, deadline_at <= now() + interval '3 minutes' as is_due
       from task_leases where terminal_id = $1`,
    [lease],
  );
  expect(row).toEqual({ is_short: true, is_due: true });
  await query('delete from tasks where user_id = $1', [NEVER]);
  await query('delete from task_leases where terminal_id = $1', [lease]);
});

describe.each(['1 hour', '1 day'])('a clock that was set back by %s', (back) => {
  it('a clock that was set back holds up no webhook and no message: leases, pauses and waits of the time to come are not believed', async () => {
    const receiver = await startWebhookReceiver();
    const { user, token } = await server.register('Set back');
    const create = async (path: string, body: Record<string, unknown>): Promise<string> =>
      (await server.request('POST', `/v1/my/${path}`, { token, body })).body.data.id as string;
    const id = await create('webhooks', { url: receiver.url, events: ['security.token_created'] });
    const settings = { server_url: new URL(receiver.url).origin, topic: 'berth' };
    const channelId = await create('alert-channels', { kind: 'ntfy', name: 'Chat', settings });
    const ruleId = await create('alert-rules', { name: 'Failed', when: 'task_failed', channel_ids: [channelId] });
    // Another server had all of it in hand.
    await withoutTicks(async (client) => {
      await client.query(
        `update webhooks set lease = gen_random_uuid(), leased_until = now() + interval '${back}',
           paused_until = now() + interval '${back}', due_at = now() + interval '${back}' - interval '1 minute' where id = $1`,
        [id],
      );
      await client.query(
        `with made as (insert into events (user_id, type, data) values ($2, 'host.lost', '{}') returning id)
         insert into webhook_deliveries (id, webhook_id, event_id, event_type, next_attempt_at)
         select gen_random_uuid(), $1, id, 'host.lost', now() + interval '${back}' - interval '1 minute' from made`,
        [id, user.id],
      );
      await client.query(
        `with alert as (
           insert into alerts (id, user_id, rule_id, rule_name, "when", subject, tells_at, told_at)
           values (gen_random_uuid(), $1, $2, 'Failed', 'task_failed', '{"terminals": 1, "names": ["One"], "terminal_ids": [],
               "host": null, "reason": null, "with_positions": null}',
             now(), now()) returning id
         )
         insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at, lease, leased_until)
         select gen_random_uuid(), id, $3, $1, 'opened', now() + interval '${back}' - interval '1 minute', gen_random_uuid(), now() + interval '${back}'
         from alert`,
        [user.id, ruleId, channelId],
      );
      await client.query(`update scheduler set last_run_at = now() + interval '${back}'`);
    });
    const isSentTo = (isHook: boolean) => () => receiver.received.some(({ path }) => (path === '/hook') === isHook);
    await waitFor(isSentTo(true), { what: 'the delivery' });
    await waitFor(isSentTo(false), { what: 'the message' });
    await receiver.close();
  });
});

it('a tick that takes long is no time without a server: it compensates nobody', async () => {
  const { downtime_ended_at: before } = await readScheduler();
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    // The scheduler cannot go on before this is over.
    await client.query('lock table task_leases in access exclusive mode');
    const { last_run_at: since } = await readScheduler();
    const longMs = 1.2 * times.downtimeMs;
    const isLong = async () =>
      (await query(`select now() > $1::timestamptz + interval '1 millisecond' * $2 as is`, [since, longMs]))[0]!.is;
    await waitFor(isLong as () => Promise<boolean>, { what: 'longer than any gap' });
    await client.query('commit');
  });
  await waitForTick();
  await waitForTick();
  expect((await readScheduler()).downtime_ended_at).toEqual(before);
});

it('a tick that fails is noted all the same, so that the downtime does not grow, but not as completed', async () => {
  await query('alter table task_leases rename to task_leases_away');
  try {
    const before = await readScheduler();
    const isNoted = async () =>
      (await readScheduler()).last_run_at.getTime() > before.last_run_at.getTime() + 2 * times.tickMs;
    await waitFor(isNoted, { what: 'two ticks' });
    const after = await readScheduler();
    expect(after.completed_at.getTime()).toBeLessThan(after.last_run_at.getTime());
    const metrics = (await server.request('GET', '/metrics')).bytes.toString();
    expect(metrics).toMatch(/\nberth_scheduler_tick_age_seconds \d/);
  } finally {
    await query('alter table task_leases_away rename to task_leases');
  }
  await waitForTick();
});

const probe = async () => (await server.request('GET', '/readyz')).status;

it('/readyz says when no server completed a tick for a minute, by a clock that nobody sets', async () => {
  let elapsedMs = 0;
  const { services } = server;
  await withoutTicks(async (client) => {
    services.pulse = new SchedulerPulse(() => elapsedMs);
    // Just started, after a year without any server; or its database's clock was set back by a day.
    await client.query(`update scheduler set completed_at = now() - interval '1 year'`);
    expect(await probe()).toBe(200);
    elapsedMs += 59_000;
    expect(await probe()).toBe(200);
    await client.query(`update scheduler set completed_at = now() + interval '1 day'`);
    expect(await probe()).toBe(200);
    elapsedMs += 59_000;
    expect(await probe()).toBe(200);
    elapsedMs += 2_000;
    const { status, headers, body } = await server.request('GET', '/readyz');
    expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([503, 'scheduler_stalled', '10']);
    expect(body).toEqual(toErrorBody('scheduler_stalled'));
    expect((await server.request('GET', '/healthz')).status).toBe(200);
    // Another server holds the lock and does the work.
    await client.query(`update scheduler set completed_at = now()`);
    expect(await probe()).toBe(200);
  });
  elapsedMs += 61_000;
  await waitFor(async () => (await probe()) === 200, { what: 'readiness after a tick' });
});

it('numbers in statements that are milliseconds are doubles: no downtime is too long for them', async () => {
  const wrong = await withClient(server.databaseUrl, async (client) => {
    const found: string[] = [];
    for (const { name, text } of listStatements()) {
      const numbers = new Set(
        [...text.matchAll(/\$(\d+)(?:::[a-z ]+)? \* interval/g)].map(([, digit]) => Number(digit)),
      );
      if (numbers.size === 0) continue;
      await client.query(`prepare looked_at as ${text}`);
      const { rows } = await client.query<{ types: string[] }>(
        `select parameter_types::text[] as types from pg_prepared_statements where name = 'looked_at'`,
      );
      await client.query('deallocate looked_at');
      for (const number of numbers) {
        const type = rows[0]!.types[number - 1];
        if (type !== 'double precision') found.push(`${name}: $${number} is ${type}`);
      }
    }
    return found;
  });
  expect(wrong).toEqual([]);
});
