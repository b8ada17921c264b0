import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { toAddressKey } from './address-key.ts';

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

/** What the bodies of requests and the answers share (body-room.ts, answer-room.ts). */
export interface Rooms {
  bodies: Room;
  answers: Room;
}

export const createRooms = (): Rooms => ({
  // Of one user, host, or, before the caller is known, address: four of the largest files.
  bodies: new Room({ own: 128 * MIB, all: ALL_BYTES }),
  answers: new Room({ own: 64 * MIB, all: ALL_BYTES }),
});
