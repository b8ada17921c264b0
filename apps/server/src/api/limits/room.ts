import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { toAddressKey } from './address-key.ts';
import { onAnswerEnd } from '../http/answer-end.ts';

const RETRY_AFTER_S = 5;

/** A user or a host, or, while the caller is not known, an address. */
export const toOwner = ({ caller, callingHost, ip }: FastifyRequest): string =>
  caller?.user.id ?? callingHost?.id ?? toAddressKey(ip);

/** What one request holds of the memory. */
export interface Holding {
  /** Reserves more, unless it was released: then nobody is left to release it. @throws AppError as `assertFits` */
  take: (sizeBytes: number) => void;
  release: () => void;
}

/** Memory that requests share: a limit for all, and a limit for each owner. */
export class Room {
  readonly #limits: { own: number; all: number };
  readonly #taken = new Map<string, number>();
  #allTaken = 0;
  /** When a request first found no room since some was last released. */
  #fullSinceMs: number | undefined;

  /** Limits in bytes. */
  constructor(limits: { own: number; all: number }) {
    this.#limits = limits;
  }

  get takenBytes(): number {
    return this.#allTaken;
  }

  get limitBytes(): number {
    return this.#limits.all;
  }

  /** Whether there has been no room for this long, while none was released. */
  isStuck(ms: number): boolean {
    return this.#fullSinceMs !== undefined && performance.now() - this.#fullSinceMs >= ms;
  }

  /**
   * Refuses what does not fit now. An owner who has too much already is asked to retry later, and so is every owner
   * when there is no room at all.
   * @throws AppError 429 or 503
   */
  assertFits(owner: string, sizeBytes: number): void {
    const retryAfterSeconds = RETRY_AFTER_S;
    const own = this.#taken.get(owner) ?? 0;
    if (own + sizeBytes > this.#limits.own) throw new AppError('transfer_limit', { retryAfterSeconds });
    if (this.#allTaken + sizeBytes > this.#limits.all) {
      this.#fullSinceMs ??= performance.now();
      throw new AppError('unavailable', { retryAfterSeconds });
    }
  }

  /** Opens a holding that is empty as yet. */
  hold(owner: string): Holding {
    let heldBytes = 0;
    let isReleased = false;
    return {
      take: (sizeBytes) => {
        if (isReleased) return;
        this.assertFits(owner, sizeBytes);
        this.#change(owner, sizeBytes);
        heldBytes += sizeBytes;
      },
      release: () => {
        this.#fullSinceMs = undefined;
        this.#change(owner, -heldBytes);
        heldBytes = 0;
        isReleased = true;
      },
    };
  }

  #change(owner: string, bytes: number): void {
    this.#allTaken += bytes;
    const own = (this.#taken.get(owner) ?? 0) + bytes;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
  }
}

const MIB = 1024 * 1024;
const ALL_BYTES = 512 * MIB;

/** What the bodies of requests and the answers share. */
export interface Rooms {
  bodies: Room;
  answers: Room;
}

export const createRooms = (): Rooms => ({
  // Of one user, host, or, before the caller is known, address: four of the largest files.
  bodies: new Room({ own: 128 * MIB, all: ALL_BYTES }),
  answers: new Room({ own: 64 * MIB, all: ALL_BYTES }),
});

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts bytes of the body that have arrived; throws 429 or 503 where there is no room for them. */
    countBody: (sizeBytes: number) => void;
  }
}

const createCount = (request: FastifyRequest, reply: FastifyReply, room: Room): ((sizeBytes: number) => void) => {
  let take: ((sizeBytes: number) => void) | undefined;
  return (sizeBytes) => {
    if (!take) {
      const holding = room.hold(toOwner(request));
      onAnswerEnd(reply.raw, holding.release);
      ({ take } = holding);
    }
    take(sizeBytes);
  };
};

/**
 * How much of request bodies may be in memory at once. Without a bound, slow senders of large bodies would fill it: each
 * may take more than an hour for its 32 MiB. What counts is what has arrived, from its first byte to the end of the
 * answer: what the headers announce may be wrong, or never come.
 *
 * Answers 429 to a caller who has too much in progress, and 503 when all callers together have.
 */
export const limitBodies = (app: FastifyInstance, room: Room): void => {
  app.decorateRequest('countBody', null as unknown as FastifyRequest['countBody']);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    try {
      // Whoever says that it does not fit need not send it first. What exceeds the limit of the route gets 413.
      if (announcedBytes <= request.routeOptions.bodyLimit) room.assertFits(toOwner(request), announcedBytes);
    } catch (error) {
      return done(error as Error);
    }
    request.countBody = createCount(request, reply, room);
    return done(null, payload);
  });
};

/** Large answers are read from PostgreSQL and sent in slices of this size. */
export const SLICE_BYTES = MIB;
/** What an answer in slices holds: one slice being sent, one ready, one being read. */
const SLICED_BYTES = 3 * SLICE_BYTES;
/** Shorter ones are not counted: the limit of connections bounds them. */
const COUNTED_BYTES = 16 * 1024;

interface Stream {
  destroy(): void;
}

const isStream = (payload: unknown): payload is Stream =>
  typeof payload === 'object' && payload !== null && 'pipe' in payload;

const toSizeBytes = (reply: FastifyReply, payload: unknown): number => {
  if (typeof payload === 'string') return payload.length < COUNTED_BYTES ? 0 : Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  if (!isStream(payload)) return 0;
  return Math.min(SLICED_BYTES, Number(reply.getHeader('content-length') ?? SLICED_BYTES));
};

/**
 * How much of the answers may be in memory at once. A reader that does not read leaves its answer here until it is cut
 * off (`connections.ts`), so without a bound a few such sockets would fill the memory with long lists.
 *
 * Before that, what is read from PostgreSQL is bounded by the slow connections: four statements at once, each of which
 * reads a slice (`SLICE_BYTES`) of anything that may be large. An answer counts from then on until its socket has
 * accepted it.
 *
 * Answers 429 to a caller who has too much in progress, and 503 when all callers together have.
 */
export const limitAnswers = (app: FastifyInstance, room: Room): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const sizeBytes = toSizeBytes(reply, payload);
    if (sizeBytes < COUNTED_BYTES) return done(null, payload);
    const holding = room.hold(toOwner(request));
    try {
      holding.take(sizeBytes);
    } catch (error) {
      if (isStream(payload)) payload.destroy();
      for (const name of ['etag', 'content-disposition']) reply.removeHeader(name);
      reply.header('cache-control', 'no-store');
      return done(error as Error);
    }
    onAnswerEnd(reply.raw, holding.release);
    return done(null, payload);
  });
};
