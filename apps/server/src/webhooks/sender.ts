/**
 * Sends what happened to the endpoints of users. Every server does it. A webhook is leased by one server at a time, which
 * makes deliveries of the events behind the webhook's place in the log, sends them, and notes what came of it, in rounds.
 * What a server had under way when it died is sent again by another one, under the same ids.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  MAX_EXCERPT_CHARACTERS,
  WEBHOOK_FAILING_DAYS,
  WEBHOOK_ROTATION_HOURS,
  WEBHOOK_WAITS_S,
  type WebhookAttempt,
} from '@berth/contract';
import { FairSemaphore, type Clock, type Logger } from '@berth/kit';
import { DatabaseUnavailableError, type Database, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { EventHorizon } from '../event-log/horizon.ts';
import { toEventTypes } from '../event-log/queries.ts';
import { happened } from '../happened.ts';
import { OutboundError } from '../outbound/errors.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { WINDOW } from './deliveries.ts';
import { disableWebhook, failPending } from './queries.ts';
import { toSignedHeaders } from './signature.ts';
import * as work from './work.ts';

/** Webhooks that one server has in hand. */
const MAX_LEASED = 200;
/** Calls under way on one server, and those of one user among them. */
const CALLS = { places: 256, perOwner: 32, maxWaiting: 10_000 };
/** Deliveries of one round. */
const ROUND = 200;
/** Calls to one endpoint at once: more with each round in which all went well, up to the most. */
const WIDTH = { first: 4, most: 8 };
/** So many failures in a row, and an endpoint is asked with one delivery at a time. */
const FAILING = 5;
const PAUSE = { firstS: 5, mostS: 300 };
/** An endpoint cannot put off a delivery for longer than this. */
const MAX_RETRY_AFTER_S = 3_600;
/** The log is looked at even where nothing seems to be new once in so many rounds. */
const FULL_LOOK_EVERY = 10;

export interface WebhookSenderParts {
  db: Database;
  vault: Pick<Vault, 'open'>;
  outbound: Pick<Outbound, 'post'>;
  horizon: EventHorizon;
  clock: Clock;
  times: Pick<Times, 'webhookLeaseMs'>;
  log: Logger;
  stopping: AbortSignal;
  /** Uniform in [0, 1): the jitter of waits. */
  random?: () => number;
}

/** What is sent: the entry of the log, or a test. */
const toBody = (delivery: work.DueDelivery): string | undefined => {
  const { delivery_id: _id, is_test: isTest, created_at, attempt_count: _count, ...event } = delivery;
  if (isTest) {
    const empty = { terminal_id: null, project_id: null, data: {} };
    return JSON.stringify({ id: null, type: 'webhook.test', occurred_at: created_at, ...empty });
  }
  return event.id === null ? undefined : JSON.stringify(event);
};

/** Why an answer is a failure, or undefined. */
const toFailure = (status: number): string | undefined => {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return `The endpoint answered with a redirect (${status}), and redirects are not followed. Enter its final address.`;
  return `The endpoint answered ${status}.`;
};

/** `Retry-After` in seconds; a date is not heeded. */
const toSeconds = (text: string | undefined): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;

/** Does the work for each item, so many at a time. */
const forEachOf = async <Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const rest = items.values();
  const run = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, run));
};

interface Call {
  outcome: work.Outcome;
  /** The endpoint asked to be sent nothing more. */
  isGone: boolean;
}

/** In a row, at the end of the calls. */
const countFailures = (hook: work.LeasedWebhook, calls: readonly Call[]): number => {
  const lastSuccess = calls.findLastIndex(({ outcome }) => outcome.status === 'succeeded');
  return calls.length - 1 - lastSuccess + (lastSuccess >= 0 ? 0 : hook.failures);
};

export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  readonly #lane: Queryable;
  /** Stands for this process. */
  readonly #lease = randomUUID();
  readonly #calls = new FairSemaphore(CALLS);
  readonly #inHand = new Map<string, Promise<void>>();
  #rounds = 0;
  #lookedTo: number | undefined;
  #renewedAtMs = 0;

  constructor(parts: WebhookSenderParts) {
    this.#parts = parts;
    this.#lane = parts.db.createLane('durable');
    // Each call under way listens for the stop.
    setMaxListeners(0, parts.stopping);
  }

  /** Takes webhooks that have something to send into hand, and renews the leases of those it has. */
  async takeTurns(): Promise<void> {
    const { horizon } = this.#parts;
    await this.#renew();
    const free = MAX_LEASED - this.#inHand.size;
    if (free <= 0) return;
    await horizon.advance();
    const { value } = horizon;
    const isFull = this.#rounds % FULL_LOOK_EVERY === 0 || value !== this.#lookedTo;
    this.#rounds += 1;
    const except = [...this.#inHand.keys()];
    const { webhookLeaseMs: leaseMs } = this.#parts.times;
    const look = { limit: free, horizon: isFull ? value : null, except, leaseMs };
    const claimed = await work.claimWebhooks(this.#lane, this.#lease, look);
    if (isFull) this.#lookedTo = claimed.length < free ? value : undefined;
    for (const { id, user_id: userId } of claimed) {
      const ending = this.#workOn(id, userId).finally(() => this.#inHand.delete(id));
      this.#inHand.set(id, ending);
    }
  }

  /** Resolves when nothing is under way any more; what this server had in hand may be taken by others. */
  async stopped(): Promise<void> {
    await Promise.all(this.#inHand.values());
    await work.releaseAll(this.#lane, this.#lease).catch((error: unknown) => {
      this.#parts.log.debug({ err: error }, 'the leases of webhooks could not be given up; they end by themselves');
    });
  }

  async #renew(): Promise<void> {
    const { webhookLeaseMs: leaseMs } = this.#parts.times;
    const now = performance.now();
    if (now - this.#renewedAtMs < leaseMs / 3) return;
    this.#renewedAtMs = now;
    await work.renewLeases(this.#lane, this.#lease, [...this.#inHand.keys()], leaseMs);
  }

  async #workOn(id: string, userId: string): Promise<void> {
    const { log, stopping } = this.#parts;
    try {
      let width = WIDTH.first;
      while (!stopping.aborted) {
        const hook = await work.readLeased(this.#lane, this.#lease, id, WEBHOOK_ROTATION_HOURS);
        if (!hook) return;
        const hasMore = await this.#plan(hook);
        const isProbe = hook.failures >= FAILING;
        const due = await work.listDue(this.#lane, hook, isProbe ? 1 : ROUND);
        if (due.length === 0) {
          if (hasMore) continue;
          return await work.releaseWebhook(this.#lane, this.#lease, hook);
        }
        const calls: Call[] = [];
        await forEachOf(due, width, async (delivery) => {
          // The rest of the round is left to the next one.
          if (!isProbe && countFailures(hook, calls) >= FAILING) return;
          const call = await this.#calls.run(userId, async () => this.#deliver(hook, delivery));
          if (call) calls.push(call);
        });
        const state = await this.#record(hook, calls);
        if (state === 'lost') return;
        if (state === 'paused') return await work.releaseWebhook(this.#lane, this.#lease, hook);
        const hasFailed = calls.some(({ outcome }) => outcome.status !== 'succeeded');
        width = hasFailed ? 1 : Math.min(width * 2, WIDTH.most);
      }
    } catch (error) {
      const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
      log[level]({ err: error, webhook: id }, 'a webhook could not be worked on; it is taken up again later');
    }
  }

  /** Makes deliveries of what is new. @returns whether there may be more of it, and room for it */
  async #plan(hook: work.LeasedWebhook): Promise<boolean> {
    await this.#parts.horizon.advance();
    const horizon = this.#parts.horizon.value;
    const room = WINDOW - hook.pending;
    if (room <= 0 || hook.position === horizon) return false;
    const types = hook.events.includes('*') ? null : (toEventTypes(hook.events) ?? []);
    const ids = Array.from({ length: Math.min(room, ROUND) }, createId);
    const position = await work.planDeliveries(this.#lane, this.#lease, hook.id, { horizon, types, ids });
    return position !== undefined && position < horizon;
  }

  /** @returns undefined: it was not tried */
  async #deliver(hook: work.LeasedWebhook, delivery: work.DueDelivery): Promise<Call | undefined> {
    const { vault, outbound, clock, stopping } = this.#parts;
    if (stopping.aborted) return undefined;
    const deliveryId = delivery.delivery_id;
    const at = new Date(clock.now());
    const body = toBody(delivery);
    const give = (attempt: Partial<WebhookAttempt>): WebhookAttempt => ({
      ...{ at: at.toISOString(), response_status: null, response_excerpt: null, ms: 0, error: null },
      ...attempt,
    });
    if (body === undefined) {
      const attempt = give({ error: 'Its event is not kept any more.' });
      return { outcome: { deliveryId, attempt, status: 'failed', waitS: null }, isGone: false };
    }
    const secrets = [vault.open(hook.secret, `webhooks/${hook.id}/secret`)];
    if (hook.previous_secret !== null) secrets.push(vault.open(hook.previous_secret, `webhooks/${hook.id}/secret`));
    const message = { id: deliveryId, timestamp: Math.floor(at.getTime() / 1_000), body };
    const headers = { ...toSignedHeaders(message, secrets), 'content-type': 'application/json', 'user-agent': 'Berth' };
    const begunAt = performance.now();
    try {
      const answer = await outbound.post(hook.url, { headers, body, signal: stopping });
      const error = toFailure(answer.status) ?? null;
      const attempt = give({
        response_status: answer.status,
        response_excerpt: answer.excerpt.slice(0, MAX_EXCERPT_CHARACTERS),
        ms: Math.round(performance.now() - begunAt),
        error,
      });
      if (error === null) {
        return { outcome: { deliveryId, attempt, status: 'succeeded', waitS: null }, isGone: false };
      }
      const retryAfterS = answer.status === 429 || answer.status === 503 ? toSeconds(answer.headers.retryAfter) : 0;
      return { outcome: this.#toRetry(delivery, attempt, retryAfterS), isGone: answer.status === 410 };
    } catch (error) {
      // Nothing was sent: it is tried again without a word.
      if (stopping.aborted || (error instanceof OutboundError && error.code === 'busy')) return undefined;
      const ms = Math.round(performance.now() - begunAt);
      const text = error instanceof Error ? error.message : String(error);
      return { outcome: this.#toRetry(delivery, give({ ms, error: text }), 0), isGone: false };
    }
  }

  #toRetry(delivery: work.DueDelivery, attempt: WebhookAttempt, retryAfterS: number): work.Outcome {
    const { random = Math.random } = this.#parts;
    const deliveryId = delivery.delivery_id;
    const base = WEBHOOK_WAITS_S[delivery.attempt_count + 1];
    if (base === undefined) return { deliveryId, attempt, status: 'failed', waitS: null };
    const jittered = base * (0.8 + 0.4 * random());
    const waitS = Math.max(jittered, Math.min(retryAfterS, MAX_RETRY_AFTER_S));
    return { deliveryId, attempt, status: 'pending', waitS };
  }

  /** @returns `paused`: nothing is to be sent for a while; `lost`: it is disabled, or not ours any more */
  async #record(hook: work.LeasedWebhook, calls: readonly Call[]): Promise<'ready' | 'paused' | 'lost'> {
    if (calls.length === 0) return 'paused';
    const { random = Math.random } = this.#parts;
    const hasSucceeded = calls.some(({ outcome }) => outcome.status === 'succeeded');
    const inARow = countFailures(hook, calls);
    const failures = inARow - (hasSucceeded ? 0 : hook.failures);
    const pauseS =
      failures > 0 && inARow >= FAILING
        ? Math.min(PAUSE.firstS * 2 ** Math.min(inARow - FAILING, 10), PAUSE.mostS) * (0.8 + 0.4 * random())
        : null;
    const health = { hasSucceeded, failures, pauseS, failingDays: WEBHOOK_FAILING_DAYS };
    const outcomes = calls.map(({ outcome }) => outcome);
    const recorded = await work.recordAttempts(this.#lane, this.#lease, hook.id, outcomes, health);
    if (!recorded) return 'lost';
    const isGone = calls.some((call) => call.isGone);
    if (!isGone && recorded.is_given_up !== true) return pauseS === null ? 'ready' : 'paused';
    const reason = isGone
      ? 'The endpoint answered 410 (Gone).'
      : `No delivery succeeded for ${WEBHOOK_FAILING_DAYS} days.`;
    await this.#disable(hook, reason);
    return 'lost';
  }

  async #disable(hook: work.LeasedWebhook, reason: string): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      if (!(await disableWebhook(tx, hook.id, this.#lease, reason))) return;
      await failPending(tx, hook.id);
      const data = { webhook_id: hook.id, url: hook.url, reason };
      happened(tx, { type: 'security.webhook_disabled', userId: hook.user_id, terminalId: null, data });
    });
  }
}
