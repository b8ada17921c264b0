/**
 * Counts, beside the servers, what became of each event: in the log, for those who read it, for those who watch, and at the
 * endpoints of webhooks. What happened is counted in the database.
 */
import type { UserEvent } from '@berth/contract';
import {
  startWebhookReceiver,
  waitFor,
  waitForAll,
  type TestAccount,
  type TestClient,
  type WebhookReceiver,
} from '@berth/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { followLog, type LogFollower } from './cluster.ts';
import { followLive, type LiveFollower } from './live-follower.ts';

/**
 * Well within the 15 s that a call may take: one that fails is tried again after 5 s, and the next time after 5 min, and an
 * endpoint that fails is paused.
 */
const HELD_MS = 8_000;

export type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

interface Hook {
  id: string;
  userId: string;
  /** Where its endpoint is asked. */
  path: string;
}

export interface Counting {
  receiver: WebhookReceiver;
  hooks: readonly Hook[];
  /** Those who follow the log, and those who watch live, with the id after which they began. */
  followers: readonly { userId: string; after: number; what: string; log: LogFollower | LiveFollower }[];
  /** The endpoints answer late, or when they are let. @returns what lets them answer */
  hold(): () => void;
  /** The paths of the calls that wait for an answer. */
  readonly held: readonly string[];
  /** @returns how many calls came since, for deliveries that had been tried before */
  watchRepeats(): () => number;
  close(): Promise<void>;
}

export interface CountingOptions {
  users: readonly TestAccount[];
  /** Goes to any of the servers. */
  client: TestClient;
  /** Where each of them is. */
  urls: readonly string[];
  /** Of each user; every second one keeps the order of each terminal. */
  webhooksEach: number;
  /** After so long without an answer or an event a reader goes elsewhere. */
  patienceMs: number;
}

/** Lets a receiver hold its answers back. @param status that it answers with @param heldMs how late it answers at most */
export const toHolding = (
  receiver: WebhookReceiver,
  { status, heldMs }: { status: number; heldMs: number },
): Pick<Counting, 'held' | 'hold'> => {
  const held: string[] = [];
  const hold = () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    receiver.answer = async ({ path }) => {
      held.push(path);
      await Promise.race([released, delay(heldMs, undefined, { ref: false })]);
      held.splice(held.indexOf(path), 1);
      return { status };
    };
    return () => {
      receiver.answer = () => ({ status });
      release();
    };
  };
  return { held, hold };
};

/** Gives each user webhooks, a reader of the log, one who watches at each server, and one who goes from one to the next. */
export const startCounting = async (options: CountingOptions): Promise<Counting> => {
  const { users, client, urls, webhooksEach, patienceMs } = options;
  const receiver = await startWebhookReceiver();
  const hooks: Hook[] = [];
  const followers: Counting['followers'][number][] = [];
  for (const [number, { token, user }] of users.entries()) {
    const { id: userId } = user;
    const before = await client.request('GET', '/v1/my/events/log?per_page=100', { token });
    const after = (before.body as { data: UserEvent[] }).data.at(-1)?.id ?? 0;
    for (let count = 0; count < webhooksEach; count += 1) {
      const path = `/hook/${number}/${count}`;
      const body = { url: new URL(path, receiver.url).href, events: ['*'], is_ordered: count % 2 === 1 };
      const answer = await client.request('POST', '/v1/my/webhooks', { token, body });
      expect(answer.status).toBe(200);
      hooks.push({ id: (answer.body as { data: { id: string } }).data.id, userId, path });
    }
    followers.push({ userId, after: 0, what: 'the log', log: followLog(client, token) });
    const watch = { token, client, after, patienceMs };
    const hopping = followLive({ ...watch, urls, entriesEach: 5 });
    followers.push({ userId, after, what: 'live events of all servers', log: hopping });
    for (const url of urls) {
      const staying = followLive({ ...watch, urls: [url], entriesEach: Infinity });
      followers.push({ userId, after, what: `live events of ${url}`, log: staying });
    }
  }
  const stop = () => Promise.all(followers.map(({ log }) => log.stop()));
  return {
    ...{ receiver, hooks, followers, ...toHolding(receiver, { status: 204, heldMs: HELD_MS }) },
    watchRepeats: () => {
      const toIds = () => receiver.received.map(({ headers }) => headers['webhook-id']);
      const before = toIds();
      return () => toIds().filter((id, index) => index >= before.length && before.includes(id)).length;
    },
    close: () => stop().then(() => receiver.close()),
  };
};

const toEventId = ({ body }: { body: string }): number => (JSON.parse(body) as UserEvent).id;

/** What an endpoint was sent. @returns under which `webhook-id`s each event came, and how many requests there were */
const toReceived = ({ receiver }: Counting, { path }: Hook) => {
  const ids = new Map<number, Set<string>>();
  const requests = receiver.received.filter((request) => request.path === path);
  for (const request of requests) {
    const id = toEventId(request);
    ids.set(id, (ids.get(id) ?? new Set<string>()).add(String(request.headers['webhook-id'])));
  }
  return { ids, requests: requests.length };
};

/** The last event that is counted: a host that is late, and is lost for a moment, may make others meanwhile. */
const findEnd = async (query: Query): Promise<number> =>
  Number((await query('select max(id)::float8 as id from events'))[0]!.id);

/** Events of a user up to the end, oldest first. */
const listIds = async (query: Query, userId: string, { after = 0, end }: { after?: number; end: number }) => {
  const text = 'select id::float8 as id from events where user_id = $1 and id > $2 and id <= $3 order by id';
  return (await query(text, [userId, after, end])).map(({ id }) => Number(id));
};

/**
 * What a webhook must be sent: from its creation on, of which its own log says when that was. It is also sent what happened
 * while it was created, which is not counted.
 */
const listIdsFor = async (query: Query, { id, userId }: Hook, end: number): Promise<number[]> => {
  const text = `select id::float8 as id from events where user_id = $1 and type = 'security.webhook_created' and data->>'webhook_id' = $2`;
  const [created] = await query(text, [userId, id]);
  return listIds(query, userId, { after: Number(created!.id) - 1, end });
};

/** Waits until all that happened up to the end was read and sent. */
const waitForEnds = async (counting: Counting, query: Query, end: number): Promise<void> => {
  for (const { userId, after, what, log } of counting.followers) {
    const { length } = await listIds(query, userId, { after, end });
    const count = () => new Set(log.events.flatMap(({ id }) => (id <= end ? [id] : []))).size;
    await waitForAll(count, length, { what: `events by ${what}` });
  }
  for (const hook of counting.hooks) {
    const must = await listIdsFor(query, hook, end);
    const count = () => [...toReceived(counting, hook).ids.keys()].filter((id) => id >= must[0]! && id <= end).length;
    await waitForAll(count, must.length, { what: `events at ${hook.path}` });
  }
  const isAtRest = async () => {
    const open = `select id from webhooks where lease is not null or due_at is not null`;
    const pending = `select id from webhook_deliveries where status = 'pending'`;
    return (await query(open)).length + (await query(pending)).length === 0;
  };
  await waitFor(isAtRest, { what: 'webhooks that are put away' });
};

/** Every end of a task is in the log once. @returns how many there are */
const expectEndsOnce = async (query: Query): Promise<number> => {
  const ends = `select t.id, count(e.id)::int as events from tasks t
    left join events e on e.type = 'task.finished' and e.data->>'task_id' = t.id::text
    where t.finished_at is not null group by t.id`;
  const rows = await query(ends);
  expect(rows.filter(({ events }) => events !== 1)).toEqual([]);
  const [all] = await query(`select count(*)::int as count from events where type = 'task.finished'`);
  expect(all!.count).toBe(rows.length);
  return rows.length;
};

const expectRead = async ({ followers }: Counting, query: Query, end: number): Promise<number> => {
  let read = 0;
  for (const { userId, after, what, log } of followers) {
    const ids = log.events.flatMap(({ id }) => (id <= end ? [id] : []));
    expect(ids, what).toEqual(await listIds(query, userId, { after, end }));
    read += ids.length;
  }
  return read;
};

/** @returns how many events were sent, and how many requests that took */
const expectSent = async (counting: Counting, query: Query, end: number) => {
  const total = { sent: 0, requests: 0 };
  for (const hook of counting.hooks) {
    const { ids, requests } = toReceived(counting, hook);
    const must = await listIdsFor(query, hook, end);
    const isCounted = (id: number) => id >= must[0]! && id <= end;
    expect(
      [...ids.keys()].filter(isCounted).sort((a, b) => a - b),
      hook.path,
    ).toEqual(must);
    expect(
      [...ids].filter(([, under]) => under.size !== 1),
      'events under more than one webhook-id',
    ).toEqual([]);
    const rows = await query(
      `select id::text, event_id::float8 as event_id, status from webhook_deliveries
       where webhook_id = $1 and event_id between $2 and $3 order by event_id`,
      [hook.id, must[0], end],
    );
    const made = must.map((id) => ({ id: [...ids.get(id)!][0], event_id: id, status: 'succeeded' }));
    expect(rows, `deliveries of ${hook.path}`).toEqual(made);
    const [counted] = await query(
      `select (select count(*)::int from webhook_deliveries where webhook_id = $1 and status = 'succeeded') as made,
         sum(succeeded)::int as succeeded, sum(failed)::int as failed from webhook_half_hours where webhook_id = $1`,
      [hook.id],
    );
    expect(counted, `counts of ${hook.path}`).toMatchObject({ succeeded: counted!.made, failed: 0 });
    total.sent += ids.size;
    total.requests += requests;
  }
  return total;
};

/** None is held, and all stand where nothing is left for them: the one to which something happened last at the very end. */
const expectPositions = async (query: Query): Promise<void> => {
  const text = `select w.id, w.lease, w.status, w.failures, w.position < last.id as is_behind, w.position > s.last_value as is_beyond,
      last.id = (select max(id) from events) and w.position <> s.last_value as is_elsewhere
    from webhooks w cross join events_id_seq s
    cross join lateral (select max(e.id) as id from events e where e.user_id = w.user_id) last`;
  const settled = {
    lease: null,
    status: 'active',
    failures: 0,
    is_behind: false,
    is_beyond: false,
    is_elsewhere: false,
  };
  for (const row of await query(text)) expect(row).toMatchObject(settled);
};

export interface Counts {
  tasks: number;
  read: number;
  sent: number;
  requests: number;
  /** Of those who watch: how often they came, and were told to read anew. */
  connections: number;
  resets: number;
}

/** Waits until all has come to its end, and holds it to the rules. */
export const expectAllCounted = async (counting: Counting, query: Query): Promise<Counts> => {
  const end = await findEnd(query);
  await waitForEnds(counting, query, end);
  const tasks = await expectEndsOnce(query);
  const read = await expectRead(counting, query, end);
  const { sent, requests } = await expectSent(counting, query, end);
  await expectPositions(query);
  const watching = counting.followers.flatMap(({ log }) => ('resets' in log ? [log] : []));
  const total = (key: 'connections' | 'resets') => watching.reduce((sum, one) => sum + one[key], 0);
  return { tasks, read, sent, requests, connections: total('connections'), resets: total('resets') };
};
