import type { ProcessExit } from '@berth/contract/agent';
import { sleep } from '@berth/kit';
import type { ProcessHandle, Processes } from '../../../launchers/launcher.ts';

/** A crash must be noticed within 5 s; a look costs little. */
const LOOK_MS = 500;
const SUCCESSOR_POLL_MS = 100;
const STOP_POLL_MS = 5;
/** A terminal that restarts itself may escape one look at the process list; not again and again. */
const MAX_POLITE_STOPS = 5;

export interface ProcessWatchOptions {
  processes: Processes;
  /** Called once the process has ended. @returns how long to look for a successor before it counts as dead. */
  getSettleMs: () => Promise<number>;
  /** Another process of the same terminal took over: the terminal restarted itself. */
  onSuccessor: (handle: ProcessHandle) => void;
  /** No successor was found. */
  onDeath: () => void;
  /** The launcher could not determine it. It is asked again. */
  onTrouble: (error: unknown) => void;
}

/**
 * One terminal's process.
 *
 *   nothing ─ adopt ─▶ running ─ ended ─▶ settling ─ another process of the terminal ─▶ running
 *      ▲                 │                   └───── none within the settle time ─────▶ nothing (onDeath)
 *      └────── stop ─────┘
 *
 * Settling exists because a terminal that updates itself ends with 0 and comes back as another process: starting
 * another one meanwhile would start it twice. For the same reason nothing changes while the launcher cannot determine
 * the state.
 */
export class ProcessWatch {
  readonly #options: ProcessWatchOptions;
  #handle: ProcessHandle | undefined;
  #watching = new AbortController();
  #settling: Promise<void> | undefined;
  #ended: ProcessExit | undefined;
  #isEndExpected = false;

  constructor(options: ProcessWatchOptions) {
    this.#options = options;
  }

  /** True while the process runs or its successor is awaited. */
  get isAlive(): boolean {
    return this.#handle !== undefined;
  }

  /** How it ended, if it was not stopped since. */
  get ended(): ProcessExit | undefined {
    return this.#ended;
  }

  get isEndExpected(): boolean {
    return this.#isEndExpected;
  }

  /** It is about to end as requested, and is stopped and started again after that. */
  expectEnd(): void {
    this.#isEndExpected = true;
  }

  adopt(handle: ProcessHandle): void {
    this.detach();
    this.#handle = handle;
    this.#watching = new AbortController();
    void this.#watch(this.#watching.signal);
  }

  /**
   * Ends every process of the terminal, cleanly if it can. Resolves when there is none; rejects when some are left, or
   * when the launcher cannot determine that; then what ran before is watched as before.
   */
  async stop(politeStopMs: number): Promise<void> {
    this.detach();
    await this.#settling;
    const handle = this.#handle;
    this.#handle = undefined;
    this.#ended = undefined;
    this.#isEndExpected = false;
    try {
      await this.#end(handle, politeStopMs);
    } catch (error) {
      if (handle) this.adopt(handle);
      throw error;
    }
  }

  /** Stops watching; the process continues. */
  detach(): void {
    this.#watching.abort();
  }

  async #end(handle: ProcessHandle | undefined, politeStopMs: number): Promise<void> {
    const { processes } = this.#options;
    const known = handle && (await processes.isRunning(handle)) ? handle : undefined;
    let next = known ?? (await processes.find());
    for (let stops = 0; next && stops < MAX_POLITE_STOPS; stops += 1) {
      await processes.close(next);
      if (!(await this.#waitForEnd(next, politeStopMs))) break;
      next = await processes.find();
    }
    await processes.clear();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#handle) {
      await pause(LOOK_MS, signal);
      if (signal.aborted || !(await this.#hasEnded(this.#handle)) || signal.aborted) continue;
      this.#settling = this.#settle(signal).finally(() => (this.#settling = undefined));
      await this.#settling;
    }
  }

  async #hasEnded(handle: ProcessHandle): Promise<boolean> {
    try {
      return !(await this.#options.processes.isRunning(handle));
    } catch (error) {
      this.#options.onTrouble(error);
      return false;
    }
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const { getSettleMs, onSuccessor, onDeath } = this.#options;
    const deadline = performance.now() + (await getSettleMs());
    while (!signal.aborted) {
      const successor = await this.#findSuccessor();
      if (signal.aborted) return;
      if (typeof successor === 'object') {
        this.#handle = successor;
        this.#isEndExpected = false;
        return onSuccessor(successor);
      }
      if (successor === 'none' && performance.now() >= deadline) break;
      await sleep(SUCCESSOR_POLL_MS, signal);
    }
    const exit = await this.#findExit();
    if (signal.aborted) return;
    this.#handle = undefined;
    this.#ended = exit;
    onDeath();
  }

  async #findExit(): Promise<ProcessExit> {
    const unknown: ProcessExit = { code: null, signal: null };
    try {
      return (this.#handle && (await this.#options.processes.findExit?.(this.#handle))) ?? unknown;
    } catch (error) {
      this.#options.onTrouble(error);
      return unknown;
    }
  }

  async #findSuccessor(): Promise<ProcessHandle | 'none' | 'unknown'> {
    try {
      return (await this.#options.processes.find()) ?? 'none';
    } catch (error) {
      this.#options.onTrouble(error);
      return 'unknown';
    }
  }

  async #waitForEnd(handle: ProcessHandle, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (await this.#options.processes.isRunning(handle)) {
      if (performance.now() >= deadline) return false;
      await sleep(STOP_POLL_MS);
    }
    return true;
  }
}

/** Like `sleep`, but does not keep the agent from ending. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms).unref();
    signal.addEventListener('abort', finish);
  });
