/**
 * The screenshot that a message carries where its channel asks for one: the last one of the terminal that the alert is about.
 * It is extra: nothing about it may hold up a message, or keep it from being sent.
 */
import { MAX_SENT_SCREENSHOT_MINUTES } from '@berth/contract';
import { FairSemaphore, sleep, type Logger } from '@berth/kit';
import { isWithin } from '../db/clock.ts';
import { sql, type Database, type Queryable } from '../db/database.ts';
import { toThumbnail } from '../screenshots/png.ts';
import type { ClaimedMessage } from './outbox.ts';

/** What is read from the database. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** What is sent: chats take more, but it has to arrive within the time of a call. */
const MAX_SENT_BYTES = 2 * 1024 * 1024;
/** Text on it can be read, and a telephone shows no more. */
const MAX_SIDE = 1_280;
/** A message does not wait for its screenshot for longer. */
const READ_MS = 5_000;
/** Making one takes a tenth of a second or so. */
const TURNS = { places: 1, perOwner: 1, maxWaiting: 20 };

export interface SentScreenshot {
  png: Buffer;
  taken_at: string;
}

const chooseStatement = sql(
  'choose_alert_screenshot',
  `update alert_messages m set screenshot_id = (
     select s.file_id from alerts a
     join terminals t on t.id = (a.subject -> 'terminal_ids' ->> 0)::uuid and t.user_id = m.user_id and t.deleted_at is null
     join terminal_screenshots s on s.terminal_id = t.id and ${isWithin('s.taken_at', `interval '${MAX_SENT_SCREENSHOT_MINUTES} minutes'`)}
     where a.id = m.alert_id and a.subject ->> 'terminals' = '1'
   )
   where m.id = $1 and m.lease = $2 and m.attempts = 1 returning m.screenshot_id`,
);

const readStatement = sql(
  'read_alert_screenshot',
  `select content as png, created_at as taken_at from files
   where id = $1 and user_id = $2 and size <= ${MAX_FILE_BYTES} and (expires_at is null or expires_at > now())`,
);

/** The message, as it is claimed. */
type Claimed = Pick<ClaimedMessage, 'id' | 'user_id' | 'attempts' | 'with_screenshot' | 'screenshot_id'>;

export class AlertScreenshots {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #turns = new FairSemaphore(TURNS);

  constructor({ db, log }: { db: Database; log: Logger }) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * The screenshot of a message, made anew from what the host uploaded: it is a picture, and no larger than it may be.
   * @param lease of this server
   * @returns undefined where there is none, or not soon enough
   */
  async find(message: Claimed, lease: string): Promise<SentScreenshot | undefined> {
    if (!message.with_screenshot) return undefined;
    const over = new AbortController();
    try {
      return await Promise.race([this.#read(message, lease), sleep(READ_MS, over.signal).then(() => undefined)]);
    } catch (error) {
      this.#log.debug({ err: error, message: message.id }, 'a message goes without its screenshot');
      return undefined;
    } finally {
      over.abort();
    }
  }

  async #read(message: Claimed, lease: string): Promise<SentScreenshot | undefined> {
    const { id, user_id: userId, attempts } = message;
    const db = this.#db.slowFor(userId);
    const fileId = attempts === 1 ? await this.#choose(db, id, lease) : message.screenshot_id;
    if (fileId === null) return undefined;
    return this.#turns.run(userId, async () => {
      const [file] = await db.query<SentScreenshot>(readStatement, [fileId, userId]);
      const png = file && (await toThumbnail(file.png, MAX_SIDE));
      return png && png.length <= MAX_SENT_BYTES ? { ...file, png } : undefined;
    });
  }

  async #choose(db: Queryable, id: string, lease: string): Promise<string | null> {
    const [row] = await db.query<{ screenshot_id: string | null }>(chooseStatement, [id, lease]);
    return row?.screenshot_id ?? null;
  }
}
