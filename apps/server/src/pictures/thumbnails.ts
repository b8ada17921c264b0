import { Turns } from '@berth/kit';
import type { Database } from '../db/database.ts';
import { findPicture, readPicture, storeThumbnail } from './queries.ts';
import { toThumbnail } from './png.ts';

const WIDTH = 320;
/** Making one takes some ten milliseconds and as many megabytes; who waits may come again. */
const TURNS = { places: 2, perOwner: 1, maxWaiting: 200 };

export interface Thumbnail {
  /** Says which picture it is of: another one has another id. */
  fileId: string;
  /** Makes it, unless it was made before; undefined when the picture cannot be read. */
  read: () => Promise<Buffer | undefined>;
}

/** Small copies of terminals' last pictures, made when they are first asked for. */
export class Thumbnails {
  readonly #db: Database;
  readonly #turns = new Turns(TURNS);

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined when the user's terminal has no picture. */
  async find(userId: string, terminalId: string): Promise<Thumbnail | undefined> {
    const found = await findPicture(this.#db.slowFor(userId), userId, terminalId);
    if (!found) return undefined;
    const { file_id: fileId, thumbnail } = found;
    const make = () => this.#turns.run(userId, () => this.#make(userId, { terminalId, fileId }));
    return { fileId, read: async () => toReadable(thumbnail ?? (await make())) };
  }

  async #make(userId: string, picture: { terminalId: string; fileId: string }): Promise<Buffer> {
    const content = await readPicture(this.#db.slowFor(userId), picture.fileId);
    const thumbnail = (content && (await toThumbnail(content, WIDTH))) ?? Buffer.alloc(0);
    await storeThumbnail(this.#db, picture, thumbnail);
    return thumbnail;
  }
}

const toReadable = (thumbnail: Buffer): Buffer | undefined => (thumbnail.length > 0 ? thumbnail : undefined);
