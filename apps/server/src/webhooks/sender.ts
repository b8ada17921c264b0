/**
 * Sends what happened to the endpoints of users. Every server does it. A webhook is leased by one server at a time, which
 * makes deliveries of the events behind the webhook's place in the log, sends them, and notes what came of it, in rounds.
 * What a server had under way when it died is sent again by another one, under the same ids.
 */
import { randomUUID } from 'node:crypto';
import { WEBHOOK_FAILING_DAYS, WEBHOOK_ROTATION_HOURS, type WebhookAttempt } from '@berth/contract';
import { Batcher, FairSemaphore, type Logger } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import { DatabaseUnavailableError, type Database, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { EventHorizon } from '../events/horizon.ts';
import { toEventTypes } from '../events/log.ts';
import { OutboundError } from '../outbound/errors.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { SecretError, type Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { WINDOW } from './deliveries.ts';
import { disable } from './disabling.ts';
import { openSecrets, toBody, toFailure, toRetry, toSeconds, withoutExcerpt } from './message.ts';
import { hasNoRoom, removeOldest } from './room.ts';
import { toSignedHeaders } from './signature.ts';
import * as work from './work.ts';

/** Webhooks that one server has in hand. */
const MAX_LEASED = 200;
/** Calls under way on one server, and those of one user among them. */
const CALLS = { places: 256, perOwner: 32, maxWaiting: 10_000 };
/** Deliveries of one round, which begins none of them later than this: what it came to is noted then. */
const ROUND = 200;
const ROUND_MS = 5_000;
/** Calls to one endpoint at once: more with each round in which all went well, up to the most. */
const WIDTH = { first: 4, most: 8 };
/** So many failures in a row, and an endpoint is asked with one delivery at a time. */
const FAILING = 5;
const PAUSE = { firstS: 5, mostS: 300 };
/** What is due does not wait longer than this for a transaction that holds up what is new. */
const HORIZON_MS = 1_000;
/** The log is looked at even where nothing seems to be new once in so many rounds. */
const FULL_LOOK_EVERY = 10;
/** What a delivery says where the key of its secret is lost. */
const SEALED = 'The secret of the webhook cannot be opened any more. Rotate it.';

export interface WebhookSenderParts {
  db: Database;
  vault: Pick<Vault, 'open'>;
  outbound: Pick<Outbound, 'post'>;
  mailer: Mailer;
  horizon: EventHorizon;
  config: Pick<ServerConfig, 'storageLimits'>;
  times: Pick<Times, 'webhookLeaseMs'>;
  log: Logger;
  stopping: AbortSignal;
  /** Uniform in [0, 1): the jitter of waits. */
  random?: () => number;
}

/** How many tries failed since the last one that did not. */
const toFailuresInARow = (hook: work.LeasedWebhook, calls: readonly Call[]): number => {
  const lastSuccess = calls.findLastIndex(({ outcome }) => outcome.status === 'succeeded');
  return calls.length - 1 - lastSuccess + (lastSuccess < 0 ? hook.failures : 0);
};

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
  /** The address that asked to be sent nothing more. */
  goneUrl?: string;
}

export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  readonly #writes: Queryable;
  /** Stands for this process. */
  readonly #lease = randomUUID();
  readonly #calls = new FairSemaphore(CALLS);
  /** A round may last for seconds: what is true of a webhook is read again for each call. */
  readonly #targets: Batcher<string, work.Target | undefined>;
  readonly #inHand = new Map<string, Promise<void>>();
  #rounds = 0;
  #lookedTo: number | undefined;
  #renewedAtMs = 0;

  constructor(parts: WebhookSenderParts) {
    this.#parts = parts;
    this.#writes = parts.db.createWritePipeline('durable');
    const read = (ids: string[]) => work.readTargets(this.#writes, this.#lease, ids, WEBHOOK_ROTATION_HOURS);
    this.#targets = new Batcher(read, { maxItems: CALLS.places });
  }

  /** Takes webhooks that have something to send into hand, and renews the leases of those it has. */
  async takeTurns(): Promise<void> {
    const { horizon } = this.#parts;
    await this.#renew();
    const free = MAX_LEASED - this.#inHand.size;
    if (free <= 0 || !(await work.hasActive(this.#writes))) return;
    const { horizon: value, isCurrent } = await horizon.advanceWithin(HORIZON_MS);
    const isFull = isCurrent && (this.#rounds % FULL_LOOK_EVERY === 0 || value !== this.#lookedTo);
    this.#rounds += 1;
    const except = [...this.#inHand.keys()];
    const { webhookLeaseMs: leaseMs } = this.#parts.times;
    const look = { limit: free, horizon: isFull ? value : null, except, leaseMs };
    const claimed = await work.claimWebhooks(this.#writes, this.#lease, look);
    // Those in hand were passed over: what they do not see any more before they are put away, the next look finds.
    if (isFull) this.#lookedTo = claimed.length < free && except.length === 0 ? value : undefined;
    for (const { id } of claimed) {
      const ending = this.#workOn(id).finally(() => this.#inHand.delete(id));
      this.#inHand.set(id, ending);
    }
  }

  /** Resolves when nothing is under way any more; what this server had in hand may be taken by others. */
  async stopped(): Promise<void> {
    await Promise.all(this.#inHand.values());
    await work.releaseAll(this.#writes, this.#lease).catch((error: unknown) => {
      this.#parts.log.debug({ err: error }, 'the leases of webhooks could not be given up; they end by themselves');
    });
  }

  async #renew(): Promise<void> {
    const { webhookLeaseMs: leaseMs } = this.#parts.times;
    const now = performance.now();
    if (now - this.#renewedAtMs < leaseMs / 3) return;
    this.#renewedAtMs = now;
    await work.renewLeases(this.#writes, this.#lease, [...this.#inHand.keys()], leaseMs);
  }

  async #workOn(id: string): Promise<void> {
    const { log, stopping } = this.#parts;
    try {
      let width = WIDTH.first;
      while (!stopping.aborted) {
        const hook = await work.readLeased(this.#writes, this.#lease, id, WEBHOOK_ROTATION_HOURS);
        if (!hook) return;
        const hasMore = await this.#plan(hook);
        const isProbe = hook.failures >= FAILING;
        const due = await work.listDue(this.#writes, hook, isProbe ? 1 : ROUND);
        if (due.length === 0) {
          if (hasMore) continue;
          return await work.releaseWebhook(this.#writes, this.#lease, hook);
        }
        const calls = await this.#deliverAll(hook, due, width);
        const state = await this.#record(hook, calls);
        if (state === 'lost') return;
        // Where all places are taken, webhooks go on in turns.
        const isYielding = this.#inHand.size >= MAX_LEASED;
        if (state === 'paused' || isYielding) return await work.releaseWebhook(this.#writes, this.#lease, hook);
        const hasFailed = calls.some(({ outcome }) => outcome.status !== 'succeeded');
        width = hasFailed ? 1 : Math.min(width * 2, WIDTH.most);
      }
    } catch (error) {
      const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
      log[level]({ err: error, webhook: id }, 'a webhook could not be worked on; it is taken up again later');
    }
  }

  /** Makes deliveries of what is new, or room for them. @returns whether there may be more of it, and room for it */
  async #plan(hook: work.LeasedWebhook): Promise<boolean> {
    if (hasNoRoom(this.#parts.config, hook)) return (await removeOldest(this.#writes, hook.user_id, 2 * ROUND)) > 0;
    const room = WINDOW - hook.pending;
    const { horizon, isCurrent } = await this.#parts.horizon.advanceWithin(HORIZON_MS);
    if (room <= 0 || !isCurrent || hook.position === horizon) return false;
    const types = hook.events.includes('*') ? null : (toEventTypes(hook.events) ?? []);
    const ids = Array.from({ length: Math.min(room, ROUND) }, createId);
    const chosen = { horizon, events: hook.events, types, ids };
    const position = await work.planDeliveries(this.#writes, this.#lease, hook.id, chosen);
    return position === undefined || position < horizon;
  }

  /**
   * Sends in a round until it has to end: by its time, because the endpoint fails or is gone, or because the webhook is
   * not ours to call any more.
   */
  async #deliverAll(hook: work.LeasedWebhook, due: readonly work.DueDelivery[], width: number): Promise<Call[]> {
    const endsAtMs = performance.now() + ROUND_MS;
    const calls: Call[] = [];
    let isEnded = false;
    const isOver = (): boolean =>
      isEnded ||
      performance.now() >= endsAtMs ||
      calls.some(({ goneUrl }) => goneUrl !== undefined) ||
      (calls.length > 0 && toFailuresInARow(hook, calls) >= FAILING);
    await forEachOf(due, width, async (delivery) => {
      const call = await this.#calls.run(hook.user_id, async () => {
        if (isOver()) return undefined;
        const target = await this.#targets.add(hook.id).catch(() => undefined);
        isEnded ||= target === undefined;
        return target && this.#deliver(target, delivery, hook.user_id);
      });
      if (call) calls.push(call);
    });
    return calls;
  }

  /** @returns undefined: it was not tried */
  async #deliver(target: work.Target, delivery: work.DueDelivery, ownerId: string): Promise<Call | undefined> {
    const { vault, outbound, stopping, random = Math.random } = this.#parts;
    if (stopping.aborted) return undefined;
    const deliveryId = delivery.delivery_id;
    const at = new Date(target.now);
    const body = toBody(delivery);
    const give = (attempt: Partial<WebhookAttempt>): WebhookAttempt => ({
      ...{ at: at.toISOString(), response_status: null, response_excerpt: null, ms: 0, error: null },
      ...attempt,
    });
    if (body === undefined) {
      const attempt = give({ error: 'Its event is not kept any more.' });
      return { outcome: { deliveryId, attempt, status: 'failed', waitS: null } };
    }
    const message = { id: deliveryId, timestamp: Math.floor(at.getTime() / 1_000), body };
    const begunAt = performance.now();
    try {
      const signed = toSignedHeaders(message, openSecrets(vault, target));
      const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Berth' };
      const answer = await outbound.post(target.url, { ownerId, headers, body, signal: stopping });
      const error = toFailure(answer.status) ?? null;
      const attempt = give({
        response_status: answer.status,
        response_excerpt: answer.excerpt,
        ms: Math.round(performance.now() - begunAt),
        error,
      });
      if (error === null) {
        return { outcome: { deliveryId, attempt, status: 'succeeded', waitS: null } };
      }
      const retryAfterS = answer.status === 429 || answer.status === 503 ? toSeconds(answer.headers.retryAfter) : 0;
      const outcome = toRetry(delivery, attempt, retryAfterS, random);
      return answer.status === 410 ? { outcome, goneUrl: target.url } : { outcome };
    } catch (error) {
      // Nothing was sent: it is tried again without a word.
      if (stopping.aborted || (error instanceof OutboundError && error.code === 'busy')) return undefined;
      const ms = Math.round(performance.now() - begunAt);
      const text = error instanceof SecretError ? SEALED : error instanceof Error ? error.message : String(error);
      return { outcome: toRetry(delivery, give({ ms, error: text }), 0, random) };
    }
  }

  /** @returns `paused`: nothing is to be sent for a while; `lost`: it is disabled, or not ours any more */
  async #record(hook: work.LeasedWebhook, calls: readonly Call[]): Promise<'ready' | 'paused' | 'lost'> {
    if (calls.length === 0) return 'paused';
    const { config, random = Math.random } = this.#parts;
    const hasSucceeded = calls.some(({ outcome }) => outcome.status === 'succeeded');
    const inARow = toFailuresInARow(hook, calls);
    const failures = hasSucceeded ? inARow : inARow - hook.failures;
    const pauseS =
      failures > 0 && inARow >= FAILING
        ? Math.min(PAUSE.firstS * 2 ** Math.min(inARow - FAILING, 10), PAUSE.mostS) * (0.8 + 0.4 * random())
        : null;
    const health = { hasSucceeded, failures, pauseS, failingDays: WEBHOOK_FAILING_DAYS };
    const outcomes = calls.map(({ outcome }) => (hasNoRoom(config, hook) ? withoutExcerpt(outcome) : outcome));
    const recorded = await work.recordAttempts(this.#writes, this.#lease, hook.id, outcomes, health);
    if (!recorded) return 'lost';
    const goneUrl = calls.find((call) => call.goneUrl !== undefined)?.goneUrl;
    if (goneUrl === undefined && recorded.is_given_up !== true) return pauseS === null ? 'ready' : 'paused';
    const reason =
      goneUrl === undefined
        ? `No delivery succeeded for ${WEBHOOK_FAILING_DAYS} days.`
        : 'The endpoint answered 410 (Gone).';
    const isDisabled = await disable(this.#parts, this.#lease, hook, goneUrl ?? hook.url, reason);
    return isDisabled ? 'lost' : 'ready';
  }
}
