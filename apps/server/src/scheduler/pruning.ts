/**
 * Removes what is kept no longer: docs/operating.md says how long things are kept. It runs beside the
 * ticks, in steps of some thousand rows with pauses between them, so that a backlog of years delays no request; a kind
 * that fails is logged and does not hold up the next one. Every server does it; rows that another one removes are
 * passed over.
 */
import { KEEP_ALERTS_DAYS, KEEP_EVENTS_DAYS, MAX_WEBHOOK_DELIVERIES } from '@berth/contract';
import { sleep, type Logger } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import { accountRemovals, toAccountsRemoval } from '../trading/ageing.ts';
import { ageMinutesText } from '../samples/ageing.ts';
import { ageHostMinutesText } from '../samples/hosts.ts';
import { isUpFor } from '../db/clock.ts';
import { toLowestId } from '../db/ids.ts';
import { toRemoval } from '../db/removal.ts';
import { DatabaseUnavailableError, sql, type Queryable, type Statement } from '../db/database.ts';

const PAUSE_MS = 100;
/** Rows in a step, files, which are large, runs, which have many items, and breaches, which have up to a thousand lines. */
const ROWS = 2_000;
const FILES = 50;
const RUNS = 5;
const BREACHES = 20;
const DAY_MS = 86_400_000;

type Retention = Pick<ServerConfig, 'keepTasksDays' | 'keepNotificationsDays' | 'keepAuditLogDays' | 'keepSamplesDays'>;

interface Kind {
  statement: Statement;
  toValues: (retention: Retention, now: Date) => unknown[];
}

/** Ids are ordered by time, so that no further index is needed. */
const toOldestId = (now: Date, days: number): string => toLowestId(new Date(now.getTime() - days * DAY_MS));

const kind = (name: string, text: string, toValues: Kind['toValues'] = () => [ROWS]): Kind => ({
  statement: sql(name, text),
  toValues,
});

const oldTerminals = `select id from terminals where deleted_at < now() - interval '30 days' order by deleted_at limit 50`;
const toTasksRemoval = (ids: string): string =>
  `gone as (delete from tasks where id = any(array(${ids})) returning 1)
   select count(*) as total from gone`;

/** Of each webhook's deliveries, those beyond the newest $2, no more than $1 at once. What waits stays. */
const toSurplusRemoval = (order: 'event_id' | 'id', condition: string): string =>
  `with gone as (
     delete from webhook_deliveries where ctid = any(array(
       select d.ctid from webhooks w
       cross join lateral (
         select ${order} from webhook_deliveries where webhook_id = w.id and ${condition} order by ${order} desc offset $2 limit 1
       ) as surplus
       cross join lateral (
         select ctid from webhook_deliveries
         where webhook_id = w.id and ${condition} and ${order} <= surplus.${order} and status <> 'pending'
         order by ${order} desc limit $1 for update skip locked
       ) as d limit $1
     )) returning 1
   )
   select count(*) as total from gone`;

/** What a clock that jumped ahead, or days without a server, made old: its owner has so long to see it, or to set the clock. */
const isSettledStatement = sql(
  'is_time_settled',
  `select ${isUpFor(`interval '1 hour'`)} or (${isUpFor(`interval '0'`)} and queue_downtime < interval '1 hour') as is_settled
   from scheduler`,
);

const kinds: readonly Kind[] = [
  kind('prune_idempotency_keys', toRemoval('idempotency_keys', `created_at < now() - interval '24 hours'`)),
  kind('prune_join_tokens', toRemoval('join_tokens', `expires_at < now() - interval '30 days'`)),
  kind('prune_sign_in_links', toRemoval('sign_in_links', `expires_at < now()`)),
  kind('prune_reset_codes', toRemoval('reset_codes', `expires_at < now()`)),
  kind('prune_reset_mails', toRemoval('reset_mails', `ends_at < now()`)),
  kind('prune_reset_tries', toRemoval('reset_tries', `ends_at < now()`)),
  kind(
    'prune_task_segments',
    toRemoval(
      'task_segments',
      `(select id from terminals where id = list_id) is null and (select id from users where id = list_id) is null`,
    ),
  ),
  kind('prune_risk_warnings', toRemoval('risk_warnings', `taken_at < now() - interval '2 days'`)),
  kind('prune_risk_breaches', toRemoval('risk_breaches', `at < now() - interval '730 days'`), () => [BREACHES]),
  // Their hosts have reported what they had begun by then.
  kind('prune_risk_rules', toRemoval('risk_rules', `deleted_at < now() - interval '90 days'`)),
  // A server notes its watched users anew four times per minute; these are of one that is gone.
  kind('prune_watchers', toRemoval('event_watchers', `seen_at < now() - interval '5 minutes'`)),
  kind('age_samples', ageMinutesText),
  kind(
    'prune_samples',
    toRemoval('terminal_quarters', `day_at < now() - ($2::double precision + 1) * interval '1 day'`),
    ({ keepSamplesDays: days }) => [ROWS, days],
  ),
  kind('age_host_samples', ageHostMinutesText),
  kind(
    'prune_host_samples',
    toRemoval(
      'host_quarters',
      `day_at < now() - ($2::double precision + 1) * interval '1 day' or day_at > now() + interval '1 day'`,
    ),
    ({ keepSamplesDays: days }) => [ROWS, days],
  ),
  // Of a clock that was ahead, and was set back since.
  kind('prune_minutes_to_come', toRemoval('terminal_minutes', `hour_at > now() + interval '1 day'`)),
  kind('prune_quarters_to_come', toRemoval('terminal_quarters', `day_at > now() + interval '1 day'`)),
  ...accountRemovals.map(({ name, text }) => kind(name, text)),
  // With their tasks; what has not ended is looked at again later, so that it does not stand in the way of the others.
  kind(
    'prune_automatic_screenshots',
    `with over as materialized (
       select task_id from automatic_screenshots where expires_at <= now() order by expires_at limit $1 for update skip locked
     ), open as materialized (
       select id from tasks where id = any(array(select task_id from over)) and finished_at is null
     ), gone as (
       delete from tasks where id = any(array(select task_id from over)) and finished_at is not null
     ), forgotten as (
       delete from automatic_screenshots where task_id = any(array(select task_id from over except select id from open))
     ), put_off as (
       update automatic_screenshots set expires_at = now() + interval '1 hour' where task_id = any(array(select id from open))
     )
     select count(*) as total from over`,
  ),
  // Each has as many items as its user has terminals.
  kind('prune_bulk_runs', toRemoval('bulk_runs', `finished_at < now() - interval '7 days'`), () => [RUNS]),
  kind('prune_files', toRemoval('files', `expires_at <= now()`), () => [FILES]),
  kind(
    'prune_notifications',
    `with gone as (
       delete from notifications where id = any(array(
         select id from notifications where id < $2::uuid and created_at < now() - $3::double precision * interval '1 day'
         order by id limit $1 for update skip locked
       )) returning 1
     )
     select count(*) as total from gone`,
    ({ keepNotificationsDays: days }, now) => [ROWS, toOldestId(now, days), days],
  ),
  // Its trigger refuses every other removal. The setting is there before a row is looked at, and ends with the statement.
  kind(
    'prune_audit_log',
    `with allowed as materialized (
       select set_config('berth.prunes_audit_log', 'yes', true) as is_set
     ), gone as (
       delete from audit_log where id = any(array(
         select id from audit_log
         where (select is_set from allowed) = 'yes' and id < $2::uuid and at < now() - $3::double precision * interval '1 day'
         order by id limit $1 for update skip locked
       )) returning 1
     )
     select count(*) as total from gone`,
    ({ keepAuditLogDays: days }, now) => [ROWS, toOldestId(now, days), days],
  ),
  kind(
    'prune_events',
    `with gone as (
       delete from events where ctid = any(array(
         select ctid from events where occurred_at < now() - $2::double precision * interval '1 day' limit $1
         for update skip locked
       )) returning id
     ), noted as (
       update event_log set forgotten_to = greatest(forgotten_to, (select max(id) from gone)) where exists (select from gone)
     )
     select count(*) as total from gone`,
    () => [ROWS, KEEP_EVENTS_DAYS],
  ),
  // As long as the events that they are of. What still waits stays.
  kind(
    'prune_webhook_deliveries',
    toRemoval(
      'webhook_deliveries',
      `created_at < now() - $2::double precision * interval '1 day' and status <> 'pending'`,
    ),
    () => [ROWS, KEEP_EVENTS_DAYS],
  ),
  // However many events there are: each may be sent to many webhooks, and keep what they answer. Tests have no event.
  kind('prune_surplus_deliveries', toSurplusRemoval('event_id', 'event_id is not null'), () => [
    ROWS,
    MAX_WEBHOOK_DELIVERIES,
  ]),
  kind('prune_surplus_tests', toSurplusRemoval('id', 'event_id is null'), () => [ROWS, MAX_WEBHOOK_DELIVERIES]),
  kind('prune_alerts', toRemoval('alerts', `resolved_at < now() - $2::double precision * interval '1 day'`), () => [
    ROWS,
    KEEP_ALERTS_DAYS,
  ]),
  // Of accounts that are gone: nobody looks at them.
  kind(
    'prune_alert_wakes',
    toRemoval('alert_wakes', `(select true from users u where u.id = user_id limit 1) is null`),
  ),
  // Of terminals that live: those of destroyed ones go with them. What has not ended stays, however old.
  kind(
    'prune_tasks',
    `with ${toTasksRemoval(`
       select id from tasks where id < $2::uuid and finished_at < now() - $3::double precision * interval '1 day'
       order by id limit $1 for update skip locked`)}`,
    ({ keepTasksDays: days }, now) => [ROWS, toOldestId(now, days), days],
  ),
  kind(
    'prune_tasks_of_destroyed',
    `with old as materialized (${oldTerminals}), ${toTasksRemoval(`
       select t.id from old cross join lateral (
         select id from tasks where terminal_id = old.id order by terminal_id, seq desc limit $1 for update skip locked
       ) t limit $1`)}`,
  ),
  kind('prune_accounts_of_destroyed', toAccountsRemoval(oldTerminals)),
  kind(
    'prune_terminals',
    `with old as materialized (${oldTerminals}), gone as (
       delete from terminals where id = any(array(
         select id from old where (select true from tasks where terminal_id = old.id order by seq desc limit 1) is null
           and (select true from trading_accounts where terminal_id = old.id limit 1) is null limit $1
       )) returning 1
     )
     select count(*) as total from gone`,
  ),
];

export interface PruningParts {
  db: { slow: Queryable };
  config: Retention;
  log: Logger;
  stopping: AbortSignal;
}

export class Pruning {
  readonly #parts: PruningParts;

  constructor(parts: PruningParts) {
    this.#parts = parts;
  }

  /** Removes everything that is over, kind by kind; the terminals' tasks and the terminals go in turns until none is left. */
  async pruneAll(): Promise<void> {
    let isAgain = true;
    while (isAgain && !this.#parts.stopping.aborted) {
      isAgain = false;
      for (const each of kinds) {
        if (!(await this.#isSettled())) return;
        const count = await this.#pruneKind(each);
        isAgain ||= count > 0 && each.statement.name === 'prune_terminals';
      }
    }
  }

  async #isSettled(): Promise<boolean> {
    const [time] = await this.#parts.db.slow.query<{ is_settled: boolean }>(isSettledStatement);
    return time?.is_settled === true;
  }

  /** @returns how many rows went */
  async #pruneKind({ statement, toValues }: Kind): Promise<number> {
    const { db, config, log, stopping } = this.#parts;
    let count = 0;
    try {
      while (!stopping.aborted) {
        const [row] = await db.slow.query<{ total: number }>(statement, toValues(config, new Date()));
        if (!row?.total) break;
        count += row.total;
        await sleep(PAUSE_MS, stopping);
      }
    } catch (error) {
      const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
      log[level]({ err: error, kind: statement.name }, 'a kind of pruning failed; the next round tries again');
    }
    return count;
  }
}
