import { FairSemaphore } from '@berth/kit';
import type { Database } from '../db/database.ts';
import { findScreenshot, readScreenshot, storeThumbnail } from './queries.ts';
import { toThumbnail } from './png.ts';

const MAX_SIDE = 320;
/** Creating one takes some ten milliseconds, and half a second for the largest images there are; callers that find the queue full may retry. */
const TURNS = { places: 2, perOwner: 1, maxWaiting: 200 };

export interface Thumbnail {
  /** Identifies the screenshot: another one has another id. */
  fileId: string;
  /** Creates it, unless that was done before; undefined when the screenshot cannot be read. */
  read: () => Promise<Buffer | undefined>;
}

/** Small copies of terminals' latest screenshots, created when they are first requested. */
export class Thumbnails {
  readonly #db: Database;
  readonly #slots = new FairSemaphore(TURNS);

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined when the user's terminal has no screenshot. */
  async find(userId: string, terminalId: string): Promise<Thumbnail | undefined> {
    const found = await findScreenshot(this.#db.slowFor(userId), userId, terminalId);
    if (!found) return undefined;
    const { file_id: fileId, thumbnail } = found;
    const make = () => this.#slots.run(userId, () => this.#make(userId, { terminalId, fileId }));
    return { fileId, read: async () => toReadable(thumbnail ?? (await make())) };
  }

  async #make(userId: string, screenshot: { terminalId: string; fileId: string }): Promise<Buffer> {
    const content = await readScreenshot(this.#db.slowFor(userId), screenshot.fileId);
    const thumbnail = (content && (await toThumbnail(content, MAX_SIDE))) ?? Buffer.alloc(0);
    await this.#db.transactionFor(userId, (tx) => storeThumbnail(tx, screenshot, thumbnail));
    return thumbnail;
  }
}

const toReadable = (thumbnail: Buffer): Buffer | undefined => (thumbnail.length > 0 ? thumbnail : undefined);
