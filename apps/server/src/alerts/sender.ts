/**
 * Sends messages of alerts. Every server does it; a message is leased by one at a time. It is a row with an id before it is sent.
 * A server that dies between a call and its note leaves a message that is sent once more, by whoever finds it: chats have no
 * way to be asked whether they have it already. It is the same message then, with the same id.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import { DatabaseUnavailableError, type Database, type Queryable } from '../db/database.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Times } from '../times.ts';
import { noteChannel } from './channels.ts';
import { findBaseUrl, toLink, toPageUrl } from './links.ts';
import * as outbox from './outbox.ts';
import { sendMessage, type PostOfficeParts, type Sent } from './post-office.ts';
import { AlertScreenshots } from './screenshots.ts';
import { toMessageText } from './texts.ts';

interface Bounds {
  isMail: boolean;
  places: number;
  perUser: number;
}

interface Kind extends Bounds {
  /** With the ids of the users. */
  underWay: Map<Promise<void>, string>;
}

/** Messages under way on one server, and those of one user: a user's chats that answer late hold up nobody else. */
const CHATS: Bounds = { isMail: false, places: 64, perUser: 8 };
/** They are sent however many chats answer late. */
const MAILS: Bounds = { isMail: true, places: 16, perUser: 4 };
/** The waits before another try, in seconds. After the last one it has failed. */
const WAITS_S = [10, 60, 300, 900, 1_800, 3_600, 7_200] as const;
/** A service cannot put off a message for longer than this. */
const MAX_RETRY_AFTER_S = 3_600;

export interface AlertSenderParts extends PostOfficeParts {
  db: Database;
  config: Pick<ServerConfig, 'publicUrl' | 'host' | 'port'>;
  metrics: Pick<Metrics, 'alertMessageTried'>;
  times: Pick<Times, 'alertLeaseMs'>;
  log: Logger;
  stopping: AbortSignal;
  /** Uniform in [0, 1): the jitter of waits. */
  random?: () => number;
}

export class AlertSender {
  readonly #parts: AlertSenderParts;
  readonly #writes: Queryable;
  readonly #screenshots: AlertScreenshots;
  /** Stands for this process. */
  readonly #lease = randomUUID();
  readonly #kinds: readonly Kind[] = [CHATS, MAILS].map((bounds) => ({ ...bounds, underWay: new Map() }));

  constructor(parts: AlertSenderParts) {
    this.#parts = parts;
    this.#writes = parts.db.createWritePipeline('durable');
    this.#screenshots = new AlertScreenshots(parts);
  }

  async takeTurns(): Promise<void> {
    for (const kind of this.#kinds) await this.#fill(kind);
  }

  /** Resolves when nothing is under way any more. */
  async stopped(): Promise<void> {
    await Promise.all(this.#kinds.flatMap(({ underWay }) => [...underWay.keys()]));
  }

  async #fill({ isMail, places, perUser, underWay }: Kind): Promise<void> {
    const { stopping, times } = this.#parts;
    while (!stopping.aborted && underWay.size < places) {
      const bounds = { limit: places - underWay.size, perUser, underWay: [...underWay.values()] };
      const claim = { isMail, ...bounds, leaseMs: times.alertLeaseMs };
      const claimed = await outbox.claimMessages(this.#writes, this.#lease, claim);
      if (claimed.length === 0) return;
      for (const message of claimed) {
        const ending = this.#send(message).finally(() => underWay.delete(ending));
        underWay.set(ending, message.user_id);
      }
    }
  }

  async #send(message: outbox.ClaimedMessage): Promise<void> {
    const { log } = this.#parts;
    try {
      const sent = await this.#call(message);
      if (sent.isUntried) return await outbox.releaseMessage(this.#writes, this.#lease, message.id);
      const tried = this.#toTried(message, sent);
      if (sent.cause !== undefined) log.warn({ message: message.id, cause: sent.cause }, 'a message was not sent');
      this.#parts.metrics.alertMessageTried(message.channel_kind, tried.status);
      if (!(await outbox.recordMessage(this.#writes, this.#lease, message, tried))) return;
      await noteChannel(this.#writes, message.user_id, message.channel_id, tried.error);
    } catch (error) {
      const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
      log[level]({ err: error, message: message.id }, 'a message could not be worked on; it is taken up again later');
    }
  }

  async #call(message: outbox.ClaimedMessage): Promise<Sent> {
    const { config, vault, stopping } = this.#parts;
    const { id, alert_id, channel_id, channel_kind: kind, settings, secrets, kind: what } = message;
    const isOpen = message.resolved_at === null && !message.is_acknowledged;
    const target = { purpose: 'acknowledge', id: alert_id } as const;
    const base = findBaseUrl(config);
    const text = toMessageText(what, message, {
      pageUrl: toPageUrl(base),
      acknowledgeUrl: isOpen ? toLink(vault, base, target) : undefined,
      sentInHour: message.sent_in_hour,
      openedInHour: message.opened_in_hour,
    });
    const destination = { id: channel_id, userId: message.user_id, kind, settings, secrets };
    const screenshot = await this.#screenshots.find(message, this.#lease);
    return sendMessage(this.#parts, destination, { id, text, screenshot, signal: stopping });
  }

  /** A screenshot may be what a service does not take: only where that asks for a pause, the next try has it again. */
  #toTried({ attempts }: outbox.ClaimedMessage, sent: Sent): outbox.TriedMessage {
    const { error, isFinal, retryAfterS, hadScreenshot, status } = sent;
    if (error === null) return { status: 'sent', error, waitS: null, keepsScreenshot: false };
    if (isFinal && hadScreenshot) return { status: 'pending', error, waitS: 0, keepsScreenshot: false };
    const { random = Math.random } = this.#parts;
    const base = WAITS_S[attempts - 1];
    if (isFinal || base === undefined) return { status: 'failed', error, waitS: null, keepsScreenshot: false };
    const waitS = Math.max(base * (0.8 + 0.4 * random()), Math.min(retryAfterS, MAX_RETRY_AFTER_S));
    return { status: 'pending', error, waitS, keepsScreenshot: status === 429 };
  }
}
