import { sleep } from '@berth/kit';
import type { Launcher, TerminalHome } from '../../../launchers/launcher.ts';
import type { ProcessIdentity } from '../../../launchers/launcher.ts';

/** A crash is to be noticed within 5 s; a look costs one read of a file in memory. */
const LOOK_MS = 500;
const SUCCESSOR_POLL_MS = 100;
const STOP_POLL_MS = 5;

export interface ProcessWatchOptions {
  launcher: Launcher;
  home: TerminalHome;
  /** Called once the process has ended. @returns how long to look for a successor before it counts as dead. */
  getSettleMs: () => Promise<number>;
  /** Another process of the same folder took over: the terminal restarted itself. */
  onSuccessor: (identity: ProcessIdentity) => void;
  /** Nobody took over. */
  onDeath: () => void;
}

/**
 * One terminal's process.
 *
 *   nothing ─ adopt ─▶ running ─ ended ─▶ settling ─ another process in the folder ─▶ running
 *      ▲                 │                   └───── none within the settle time ────▶ nothing (onDeath)
 *      └────── stop ─────┘
 *
 * Settling exists because a terminal that updates itself ends with 0 and comes back under a new PID: to start another one
 * meanwhile would be to start it twice.
 */
export class ProcessWatch {
  readonly #options: ProcessWatchOptions;
  #identity: ProcessIdentity | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settling: { promise: Promise<void>; abort: AbortController } | undefined;

  constructor(options: ProcessWatchOptions) {
    this.#options = options;
  }

  /** True while the process runs or its successor is awaited. */
  get isAlive(): boolean {
    return this.#identity !== undefined;
  }

  adopt(identity: ProcessIdentity): void {
    this.#identity = identity;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Ends every process of the terminal, politely first. Resolves when there is none. */
  async stop(politeStopMs: number): Promise<void> {
    this.detach();
    await this.#settling?.promise;
    const { launcher, home } = this.#options;
    const known = this.#identity && launcher.isRunning(this.#identity) ? this.#identity : undefined;
    this.#identity = undefined;
    for (let next = known ?? (await launcher.findRunning(home)); next; next = await launcher.findRunning(home)) {
      launcher.close(next);
      if (await this.#waitForEnd(next, politeStopMs)) continue;
      launcher.kill(next);
      await this.#waitForEnd(next, politeStopMs);
    }
  }

  /** Stops looking; the process goes on. */
  detach(): void {
    clearInterval(this.#timer);
    this.#settling?.abort.abort();
  }

  #look(): void {
    if (this.#settling || !this.#identity || this.#options.launcher.isRunning(this.#identity)) return;
    const abort = new AbortController();
    const promise = this.#settle(abort.signal).finally(() => (this.#settling = undefined));
    this.#settling = { promise, abort };
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const { launcher, home, getSettleMs, onSuccessor, onDeath } = this.#options;
    const deadline = performance.now() + (await getSettleMs());
    while (!signal.aborted) {
      const successor = await launcher.findRunning(home);
      if (signal.aborted) return;
      if (successor) {
        this.#identity = successor;
        return onSuccessor(successor);
      }
      if (performance.now() >= deadline) break;
      await sleep(SUCCESSOR_POLL_MS, signal);
    }
    if (signal.aborted) return;
    this.#identity = undefined;
    clearInterval(this.#timer);
    onDeath();
  }

  async #waitForEnd(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (this.#options.launcher.isRunning(identity)) {
      if (performance.now() >= deadline) return false;
      await sleep(STOP_POLL_MS);
    }
    return true;
  }
}
