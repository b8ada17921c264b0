/**
 * The statements of the server that sends for a webhook. It holds a lease; whoever lost it, because it stood still for too
 * long, changes nothing any more.
 */
import { AccountStatus, type UserEvent, type WebhookAttempt } from '@berth/contract';
import { isOver } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import { WINDOW } from './deliveries.ts';
import { toCounted } from './half-hours.ts';
import { keptBytes, type KeptDeliveries } from './room.ts';

/** SQL: for a suspended or closed account nothing is sent. */
const isActive = `u.status = ${AccountStatus.ACTIVE} and u.deleted_at is null`;

const anyStatement = sql('any_webhook', `select from webhooks where status = 'active' limit 1`);

/** Where there is none, the log is not looked at for them. */
export const hasActive = async (db: Queryable): Promise<boolean> => (await db.query(anyStatement)).length > 0;

const LEASE = `$5 * interval '1 millisecond'`;
/** Longer than any. */
const LONGEST_PAUSE = `interval '10 minutes'`;

const claimStatement = sql(
  'claim_webhooks',
  `with ready as (
     select w.id, row_number() over (partition by w.user_id order by w.due_at nulls last, w.id) as turn
     from webhooks w
     where (select true from users u where u.id = w.user_id and ${isActive} limit 1)
       and w.status = 'active' and ${isOver('w.leased_until', LEASE)} and ${isOver('w.paused_until', LONGEST_PAUSE)}
       and (w.due_at <= now() or w.position > $3 or not w.is_full and w.position < $3
         and exists (select from events e where e.user_id = w.user_id and e.id > w.position and e.id <= $3))
       and w.id <> all($4::uuid[])
   ), chosen as (
     select w.id from webhooks w join ready on ready.id = w.id
     where ${isOver('w.leased_until', LEASE)}
     order by ready.turn, w.id limit $2 for no key update of w skip locked
   )
   update webhooks w set lease = $1, leased_until = now() + $5 * interval '1 millisecond', due_at = coalesce(w.due_at, now())
   from chosen where w.id = chosen.id returning w.id, w.user_id`,
);

interface Look {
  limit: number;
  /** Events up to this one may be read; null: nothing is new, only what is due is looked for. */
  horizon: number | null;
  /** Those that this server still has in hand. */
  except: readonly string[];
  leaseMs: number;
}

/**
 * Leases webhooks that have something to send, users in turns. They are due until they are released: deliveries that a
 * server made before it died are behind the position, where nothing else leads to them.
 */
export const claimWebhooks = (
  db: Queryable,
  lease: string,
  { limit, horizon, except, leaseMs }: Look,
): Promise<{ id: string; user_id: string }[]> => db.query(claimStatement, [lease, limit, horizon, except, leaseMs]);

const renewStatement = sql(
  'renew_webhook_leases',
  `update webhooks set leased_until = now() + $3 * interval '1 millisecond' where id = any($2::uuid[]) and lease = $1`,
);

export const renewLeases = async (
  db: Queryable,
  lease: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<void> => {
  if (ids.length > 0) await db.query(renewStatement, [lease, ids, leaseMs]);
};

/** A webhook that is worked on. */
export interface LeasedWebhook extends KeptDeliveries {
  id: string;
  user_id: string;
  url: string;
  events: string[];
  is_ordered: boolean;
  secret: string;
  /** null: none signs besides. */
  previous_secret: string | null;
  position: number;
  failures: number;
  /** How often its owner asked for something to be sent now. */
  calls: number;
  /** Deliveries that wait, those that are not due included. */
  pending: number;
}

const readStatement = sql(
  'read_leased_webhook',
  `select w.id, w.user_id, w.url, w.events, w.is_ordered, w.secret, w.position, w.failures, w.calls, u.plan, u.storage_mib,
     ${keptBytes} as kept_bytes,
     case when w.secret_rotated_at > now() - $3 * interval '1 hour' then w.previous_secret end as previous_secret,
     (select count(*) from (select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending'
       limit ${WINDOW}) as p) as pending
   from webhooks w join users u on u.id = w.user_id and ${isActive}
   where w.id = $1 and w.lease = $2 and w.status = 'active'`,
);

/** @returns undefined: it is not ours any more, was deleted or disabled, or its account is suspended */
export const readLeased = async (
  db: Queryable,
  lease: string,
  id: string,
  rotationHours: number,
): Promise<LeasedWebhook | undefined> => (await db.query<LeasedWebhook>(readStatement, [id, lease, rotationHours]))[0];

const targetStatement = sql(
  'read_targets_of_webhooks',
  `select w.id, w.url, w.secret,
     case when w.secret_rotated_at > now() - $3 * interval '1 hour' then w.previous_secret end as previous_secret, now() as now
   from webhooks w join users u on u.id = w.user_id and ${isActive}
   where w.id = any($1::uuid[]) and w.lease = $2 and w.status = 'active'`,
);

/** Where a webhook is called, and what signs. */
export interface Target extends Pick<LeasedWebhook, 'id' | 'url' | 'secret' | 'previous_secret'> {
  /** By the database's clock: receivers compare it with their own, and the clocks of servers differ. */
  now: string;
}

/** @returns the targets in the order of the ids; undefined as for `readLeased` */
export const readTargets = async (
  db: Queryable,
  lease: string,
  ids: readonly string[],
  rotationHours: number,
): Promise<(Target | undefined)[]> => {
  const rows = await db.query<Target>(targetStatement, [[...new Set(ids)], lease, rotationHours]);
  const targets = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => targets.get(id));
};

/** Events that one statement looks at. */
const LOOKED_AT = 5_000;

const planStatement = sql(
  'plan_webhook_deliveries',
  `with hook as materialized (
     select id, user_id, position, project_id from webhooks where id = $1 and lease = $2 and status = 'active' and events = $6
     for no key update
   ), seen as materialized (
     select e.id, e.type, e.terminal_id, e.project_id from events e
     where e.user_id = (select user_id from hook) and e.id > (select position from hook) and e.id <= $3
     order by e.id limit ${LOOKED_AT}
   ), chosen as materialized (
     select s.id, s.type, s.terminal_id, row_number() over (order by s.id) as place from seen s cross join hook
     where ($4::text[] is null or s.type = any($4)) and (hook.project_id is null or s.project_id = hook.project_id)
     order by s.id limit cardinality($5::uuid[])
   ), made as (
     insert into webhook_deliveries (id, webhook_id, event_id, event_type, terminal_id)
     select ($5::uuid[])[c.place], hook.id, c.id, c.type, c.terminal_id from chosen c cross join hook order by c.id
     on conflict (webhook_id, event_id) do nothing
   )
   update webhooks w set position = case
     when (select count(*) from chosen) = cardinality($5::uuid[]) then (select max(id) from chosen)
     when (select count(*) from seen) = ${LOOKED_AT} then (select max(id) from seen)
     else $3 end
   from hook where w.id = hook.id returning w.position`,
);

interface PlanInput {
  horizon: number;
  events: readonly string[];
  types: readonly string[] | null;
  ids: readonly string[];
}

/**
 * Makes deliveries of the events that follow the webhook's place, and moves it on.
 * @param events of the webhook, as they were read
 * @param types that they mean; null: all
 * @param ids of the deliveries: no more are made than there are
 * @returns the new place; undefined: the lease is lost, or its owner has chosen other events since
 */
export const planDeliveries = async (
  db: Queryable,
  lease: string,
  id: string,
  { horizon, events, types, ids }: PlanInput,
): Promise<number | undefined> =>
  (await db.query<{ position: number }>(planStatement, [id, lease, horizon, types, ids, events]))[0]?.position;

/** Where an order is kept, only the delivery of each terminal's oldest event is sendable, and the oldest test. */
const sendable = `(
  select d.*, row_number() over (partition by d.event_id is null, d.terminal_id order by d.event_id, d.id) as place
  from webhook_deliveries d where d.webhook_id = $1 and d.status = 'pending'
)`;

/** Longer than any (`WEBHOOK_WAITS_S`). */
const LONGEST_WAIT = `interval '13 hours'`;

const dueStatement = sql(
  'list_due_deliveries',
  `select d.id as delivery_id, d.event_id is null as is_test, d.created_at, d.attempt_count,
     e.id, e.type, e.occurred_at, e.terminal_id, e.project_id, e.data
   from ${sendable} d left join events e on e.user_id = $2 and e.id = d.event_id
   where (not $3::boolean or d.place = 1) and ${isOver('d.next_attempt_at', LONGEST_WAIT)}
   order by d.event_id nulls first, d.id limit $4`,
);

export type DueDelivery = {
  delivery_id: string;
  is_test: boolean;
  created_at: string;
  attempt_count: number;
} & (UserEvent | { [Name in keyof UserEvent]: null });

export const listDue = (db: Queryable, hook: LeasedWebhook, limit: number): Promise<DueDelivery[]> =>
  db.query(dueStatement, [hook.id, hook.user_id, hook.is_ordered, limit]);

/** What a try came to. */
export interface Outcome {
  deliveryId: string;
  attempt: WebhookAttempt;
  status: 'pending' | 'succeeded' | 'failed';
  /** Seconds until the next try; null: there is none. */
  waitS: number | null;
}

/** Time in which no server was up counts for nobody: so long an endpoint has to answer afterwards. */
const AFTER_DOWNTIME = `interval '12 hours'`;

const recordStatement = sql(
  'record_webhook_attempts',
  `with hook as materialized (
     select id from webhooks where id = $1 and lease = $2 for no key update
   ), recorded as (
     update webhook_deliveries d set status = o.status, attempt_count = d.attempt_count + 1,
       attempts = case when jsonb_array_length(d.attempts) >= 10 then d.attempts - 0 else d.attempts end || o.attempt,
       next_attempt_at = now() + o.wait_s * interval '1 second'
     from unnest($3::uuid[], $4::text[], $5::jsonb[], $6::double precision[]) as o (id, status, attempt, wait_s)
     where d.id = o.id and d.webhook_id = (select id from hook) and d.status = 'pending'
     returning d.webhook_id, d.status, d.attempt_count, (o.attempt ->> 'ms')::integer as ms
   ), ${toCounted('recorded')}
   update webhooks w set failures = case when $7::boolean then 0 else w.failures end + $8,
     failing_since = case when $8 = 0 then null when $7 then now() else coalesce(w.failing_since, now()) end,
     paused_until = case when $9::double precision is null then null else now() + $9 * interval '1 second' end
   from hook where w.id = hook.id
   returning w.failing_since < now() - $10 * interval '1 day'
     and (select downtime_ended_at from scheduler) < now() - ${AFTER_DOWNTIME} as is_given_up`,
);

/**
 * Notes what the tries of one round came to.
 * @param health whether one of them succeeded, how many failed after the last that did, and for how long nothing is sent
 * @returns undefined: the lease is lost, and nothing was noted
 */
export const recordAttempts = async (
  db: Queryable,
  lease: string,
  id: string,
  outcomes: readonly Outcome[],
  health: { hasSucceeded: boolean; failures: number; pauseS: number | null; failingDays: number },
): Promise<{ is_given_up: boolean | null } | undefined> =>
  (
    await db.query<{ is_given_up: boolean | null }>(recordStatement, [
      id,
      lease,
      outcomes.map(({ deliveryId }) => deliveryId),
      outcomes.map(({ status }) => status),
      outcomes.map(({ attempt }) => JSON.stringify(attempt)),
      outcomes.map(({ waitS }) => waitS),
      health.hasSucceeded,
      health.failures,
      health.pauseS,
      health.failingDays,
    ])
  )[0];

const releaseStatement = sql(
  'release_webhook',
  `update webhooks w set lease = null, leased_until = null, is_full = s.pending >= ${WINDOW},
     due_at = case when w.calls = $4 then s.due_at else now() end
   from (
     select min(d.next_attempt_at) filter (where not $3::boolean or d.place = 1) as due_at, count(*) as pending
     from ${sendable} d
   ) as s
   where w.id = $1 and w.lease = $2`,
);

/** Nothing is due, unless its owner has asked for something since it was read: then it is due at once. */
export const releaseWebhook = async (db: Queryable, lease: string, hook: LeasedWebhook): Promise<void> => {
  await db.query(releaseStatement, [hook.id, lease, hook.is_ordered, hook.calls]);
};

const releaseAllStatement = sql(
  'release_webhooks',
  `update webhooks set lease = null, leased_until = null, due_at = now() where lease = $1`,
);

/** The server stops: others go on at once. */
export const releaseAll = async (db: Queryable, lease: string): Promise<void> => {
  await db.query(releaseAllStatement, [lease]);
};
