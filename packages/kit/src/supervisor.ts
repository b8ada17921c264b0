import type { ChildProcess } from 'node:child_process';
import { toBackoffMs, type BackoffOptions } from './backoff.ts';
import { sleep } from './sleep.ts';

/** How a process ended: both are null for one that could not be started at all. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process that runs, for whoever keeps it running. */
export interface SupervisedProcess {
  /** Undefined where it could not be started at all. */
  pid: number | undefined;
  /** Resolves when it has ended, whatever ended it; never rejects. */
  ended: Promise<ProcessEnd>;
  /** Ends it, and waits for that. */
  end(): Promise<void>;
}

export interface SupervisorOptions {
  /** Starts the process; what it rejects with leads to the next try. The signal aborts at `stop`. */
  launch: (signal: AbortSignal) => SupervisedProcess | Promise<SupervisedProcess>;
  backoff: BackoffOptions;
  /** Called each time it ended by itself. */
  onEnd: (end: ProcessEnd) => void;
  /** Called each time it could not be started. */
  onLaunchFailed: (error: unknown) => void;
}

/** Running this long counts as a success, and the back-off starts from the beginning. */
const STABLE_MS = 10_000;

/**
 * Keeps one child process running.
 *
 *   launching ──up──▶ running ──ends by itself──▶ waiting ──back-off over──▶ launching
 *       └──────────────fails───────────────────────▲
 *   any of them ──stop──▶ stopped (final)
 *
 * It never gives up: what makes a process fail (a full disk, a missing file) can be mended meanwhile. Each end that comes
 * soon after the start, and each start that fails, makes the next wait longer.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  #current: SupervisedProcess | undefined;
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The process id; undefined while it is down. */
  get pid(): number | undefined {
    return this.#current?.pid;
  }

  /** @param first the process, where the caller has launched it: for one whose first start must succeed */
  start(first?: SupervisedProcess): void {
    this.#current = first;
    this.#keeping = this.#keep(first);
  }

  /** Ends the process, or the start that is under way, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.end();
    await this.#keeping;
  }

  async #keep(first: SupervisedProcess | undefined): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    for (let current = first ?? (await this.#launch()); !signal.aborted; current = await this.#launch()) {
      const startedAt = performance.now();
      const end = await current?.ended;
      this.#current = undefined;
      if (signal.aborted) return;
      if (end) this.#options.onEnd(end);
      failures = performance.now() - startedAt < STABLE_MS ? failures + 1 : 0;
      await sleep(toBackoffMs(failures, this.#options.backoff), signal);
    }
  }

  /** @returns undefined when it failed, or was stopped */
  async #launch(): Promise<SupervisedProcess | undefined> {
    const { signal } = this.#stopping;
    if (signal.aborted) return undefined;
    try {
      const launched = await this.#options.launch(signal);
      // Its last step may have passed the signal by, and `stop` has found nothing to end.
      if (signal.aborted) await launched.end();
      else this.#current = launched;
      return launched;
    } catch (error) {
      if (!signal.aborted) this.#options.onLaunchFailed(error);
      return undefined;
    }
  }
}

/** How a child process ends; never rejects. Also for one that has ended already, or could not be started. */
export const waitForEnd = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    const { exitCode: code, signalCode: signal } = child;
    if (code !== null || signal !== null) return resolve({ code, signal });
    child.once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
    // "error" without a process is a start that failed; of one that runs, it is a message or signal that did not arrive.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
