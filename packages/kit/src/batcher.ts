import { sleep } from './timing.ts';

/** Options of a batcher. */
export interface BatcherOptions {
  maxItems: number;
  /**
   * How long a batch that is not full waits for more calls, in milliseconds: for frequent calls that are not urgent. By
   * default it waits only for calls of the same turn of the event loop.
   */
  gatherMs?: number;
  /**
   * Whether a batch that failed with this error is run again item by item, so that a bad item fails alone. Only for
   * errors after which nothing of the batch was done.
   */
  isSplit?: (error: unknown) => boolean;
}

interface Call<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects concurrent calls into batches: while one batch is running, later calls wait and form the next one. An idle
 * batcher runs a call immediately (unless `gatherMs` is set), so batching costs no latency; under load the batch grows
 * by itself. Each call's promise settles only after its batch did, so "answered" still means "durable".
 * @example
 * import { Batcher } from '@berth/kit';
 * const squares = new Batcher(async (items: number[]) => items.map((item) => item * item), { maxItems: 100 });
 * await Promise.all([squares.add(2), squares.add(3)]); // => [4, 9]
 */
export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #maxItems: number;
  readonly #gatherMs: number;
  readonly #isSplit: (error: unknown) => boolean;
  #waiting: Call<Item, Result>[] = [];
  #running = false;

  /** @param run returns one result per item of a batch, in the same order. */
  constructor(
    run: (items: Item[]) => Promise<Result[]>,
    { maxItems, gatherMs = 0, isSplit = () => false }: BatcherOptions,
  ) {
    this.#run = run;
    this.#maxItems = maxItems;
    this.#gatherMs = gatherMs;
    this.#isSplit = isSplit;
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) {
        this.#running = true;
        // One turn of the event loop lets callers of the same tick share the batch.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#gatherMs > 0 && this.#waiting.length < this.#maxItems) await sleep(this.#gatherMs);
      await this.#settle(this.#waiting.splice(0, this.#maxItems));
    }
    this.#running = false;
  }

  async #settle(calls: Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(calls.map((call) => call.item));
      calls.forEach((call, index) => call.resolve(results[index] as Result));
    } catch (error) {
      if (calls.length > 1 && this.#isSplit(error)) {
        for (const call of calls) await this.#settle([call]);
      } else {
        for (const call of calls) call.reject(error);
      }
    }
  }
}
