import { sleep, toBackoffMs, type Logger } from '@berth/kit';
import { clearPredecessor } from './orphan.ts';
import { startPostmaster, type Postmaster, type PostmasterExit, type PostmasterOptions } from './postmaster.ts';

/** The first retry comes almost at once: backends of a killed postmaster need a moment to notice and go. */
const BACKOFF = { baseMs: 50, maxMs: 5_000 };
/** Running this long counts as a success, and the back-off starts from the beginning. */
const STABLE_MS = 10_000;

/**
 * Keeps one PostgreSQL running.
 *
 *   stopped ─start─▶ running ─(it ends by itself)─▶ waiting ─back-off over─▶ starting ─ready─▶ running
 *                       └────────── stop ──────────────┴───────── stop ────────┴──▶ stopped (final)
 *
 * Restarting waits a little longer each time while PostgreSQL keeps ending soon after its start. Clients see broken
 * connections meanwhile and connect again; what was committed is there after crash recovery.
 */
export class PostmasterSupervisor {
  readonly #options: Omit<PostmasterOptions, 'signal'>;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #exitListeners: ((exit: PostmasterExit) => void)[] = [];
  #current: Postmaster | undefined;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: Omit<PostmasterOptions, 'signal'>, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /** The process id of PostgreSQL; undefined while it is down. */
  get pid(): number | undefined {
    return this.#current?.pid;
  }

  onExit(listener: (exit: PostmasterExit) => void): void {
    this.#exitListeners.push(listener);
  }

  /** @param signal aborts this first start; later ones end with `stop`. */
  async start(signal: AbortSignal): Promise<void> {
    const postmaster = await this.#launch(signal);
    this.#watching = this.#watch(postmaster);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.end();
    await this.#watching;
  }

  async #launch(signal: AbortSignal): Promise<Postmaster> {
    await clearPredecessor(this.#options.layout, this.#log);
    this.#current = await startPostmaster({ ...this.#options, signal });
    return this.#current;
  }

  async #watch(first: Postmaster): Promise<void> {
    let postmaster: Postmaster | undefined = first;
    for (let failures = 0; postmaster !== undefined;) {
      const startedAt = performance.now();
      const exit: PostmasterExit = await postmaster.exited;
      this.#current = undefined;
      if (this.#stopping.signal.aborted) return;
      this.#log.error(exit, 'PostgreSQL ended by itself and is started again');
      for (const listener of this.#exitListeners) listener(exit);
      failures = performance.now() - startedAt < STABLE_MS ? failures + 1 : 0;
      postmaster = await this.#relaunch(failures);
    }
  }

  /** Tries until PostgreSQL runs; undefined when it was stopped meanwhile. */
  async #relaunch(failures: number): Promise<Postmaster | undefined> {
    const { signal } = this.#stopping;
    for (let retry = failures; !signal.aborted; retry += 1) {
      await sleep(toBackoffMs(retry, BACKOFF), signal);
      if (signal.aborted) return undefined;
      try {
        return await this.#launch(signal);
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, 'PostgreSQL could not be started; trying again');
      }
    }
    return undefined;
  }
}
