import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { toAddressKey } from './address-key.ts';

const RETRY_AFTER_S = 5;

/** A user or a host, or, while the caller is not known, an address. */
export const toOwner = ({ caller, callingHost, ip }: FastifyRequest): string =>
  caller?.user.id ?? callingHost?.id ?? toAddressKey(ip);

/** Memory that requests share: so much for all, and so much of it for one owner. */
export class Room {
  readonly #limits: { own: number; all: number };
  readonly #taken = new Map<string, number>();
  #allTaken = 0;

  /** Limits in bytes. */
  constructor(limits: { own: number; all: number }) {
    this.#limits = limits;
  }

  /**
   * Takes bytes. An owner who has too much already is told to come back, and so is every owner when there is no room at all.
   * @returns what gives them back; call it once
   * @throws AppError 429 or 503
   */
  take(owner: string, sizeBytes: number): () => void {
    const retryAfterSeconds = RETRY_AFTER_S;
    const own = this.#taken.get(owner) ?? 0;
    if (own + sizeBytes > this.#limits.own) throw new AppError('too_many_requests', { retryAfterSeconds });
    if (this.#allTaken + sizeBytes > this.#limits.all) throw new AppError('unavailable', { retryAfterSeconds });
    this.#change(owner, sizeBytes);
    return () => this.#change(owner, -sizeBytes);
  }

  #change(owner: string, bytes: number): void {
    this.#allTaken += bytes;
    const own = (this.#taken.get(owner) ?? 0) + bytes;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
  }
}
