/** Reads what many callers wait for with few requests: requests within a moment share one. */
import { ApiError } from '../errors.ts';
import { onAbort, pause } from '../http/deadline.ts';
import { toSpreadMs } from '../http/retries.ts';
import type { CallOptions } from '../options.ts';

/** As many ids as one request takes. */
const MAX_IDS = 100;
/** Requests within this time go together. */
const MOMENT_MS = 10;
/** This many requests go immediately; then there is one per span, for all callers until then. */
const BURST = 20;
const SPAN_MS = 500;

interface Reader<Item> {
  id: string;
  resolve: (item: Item | undefined) => void;
  reject: (error: unknown) => void;
  /** Ends the request that nobody waits for any more. */
  leave?: () => void;
}

/**
 * Reads many at once. @returns what was found, by id in lower case; what is missing is read singly
 * @throws ApiError where the server does not know this way of asking: then all are read singly
 */
export type ReadMany<Item> = (ids: readonly string[], options: CallOptions) => Promise<ReadonlyMap<string, Item>>;
type ReadOne<Item> = (id: string, options: CallOptions) => Promise<Item>;

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && ![401, 403, 429].includes(error.status);

export class Batch<Item> {
  readonly #readMany: ReadMany<Item>;
  readonly #readers = new Set<Reader<Item>>();
  #isRunning = false;
  /** Aborted when nobody waits any more. */
  #idle = new AbortController();
  /** When the last of the burst is used up: each request moves it by a span, and it never lies in the past. */
  #usedUntil = 0;
  /** The server sent a Retry-After. */
  #heldUntil = 0;

  constructor(readMany: ReadMany<Item>) {
    this.#readMany = readMany;
  }

  /**
   * Reads one, together with what others request. It is as recent as the call: a request that is already in flight does
   * not count.
   * @param readOne the same for this one alone
   */
  async read(id: string, readOne: ReadOne<Item>, signal: AbortSignal): Promise<Item> {
    let stop = (): void => undefined;
    try {
      const item = await new Promise<Item | undefined>((resolve, reject) => {
        const reader: Reader<Item> = { id: String(id).toLowerCase(), resolve, reject };
        const unlisten = onAbort(signal, () => reject(new Error('The waiting is over.')));
        stop = () => (unlisten(), this.#leave(reader));
        this.#readers.add(reader);
        if (!this.#isRunning) void this.#run();
      });
      return item ?? (await readOne(id, { signal, maxRetries: 0 }));
    } catch (error) {
      this.#hold(error);
      throw error;
    } finally {
      stop();
    }
  }

  #leave(reader: Reader<Item>): void {
    this.#readers.delete(reader);
    reader.leave?.();
    if (this.#readers.size === 0) this.#idle.abort();
  }

  /** No retry before the server's time. */
  #hold(error: unknown): void {
    const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    if (askedMs !== undefined) this.#heldUntil = Math.max(this.#heldUntil, performance.now() + toSpreadMs(askedMs));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#readers.size > 0) {
      this.#idle = new AbortController();
      const nextAt = Math.max(this.#usedUntil - BURST * SPAN_MS, this.#heldUntil);
      await pause(Math.max(MOMENT_MS, nextAt - performance.now()), this.#idle.signal);
      if (this.#readers.size === 0) break;
      this.#usedUntil = Math.max(this.#usedUntil, performance.now()) + SPAN_MS;
      const readers = [...this.#readers];
      this.#readers.clear();
      for (let at = 0; at < readers.length; at += MAX_IDS) void this.#serve(readers.slice(at, at + MAX_IDS));
    }
    this.#isRunning = false;
  }

  async #serve(readers: readonly Reader<Item>[]): Promise<void> {
    const abort = new AbortController();
    let left = readers.length;
    for (const reader of readers) reader.leave = () => void (--left === 0 && abort.abort());
    const ids = [...new Set(readers.map(({ id }) => id))];
    try {
      const options = { maxRetries: 0, signal: abort.signal };
      const found = ids.length > 1 ? await this.#readMany(ids, options) : undefined;
      for (const { id, resolve } of readers) resolve(found?.get(id));
    } catch (error) {
      for (const { resolve, reject } of readers) {
        if (isRefused(error)) resolve(undefined);
        else reject(error);
      }
    }
  }
}
