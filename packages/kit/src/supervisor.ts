import type { ChildProcess } from 'node:child_process';
import { toBackoffMs, type BackoffOptions } from './backoff.ts';
import { sleep } from './timing.ts';

/** How a process ended: both are null for one that could not be started at all. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A running child process, for whatever keeps it running. */
export interface SupervisedProcess {
  /** Undefined where it could not be started at all. */
  pid: number | undefined;
  /** Resolves when it has ended, for any reason; never rejects. */
  ended: Promise<ProcessEnd>;
  /** Ends it, and waits for its end. */
  end(): Promise<void>;
}

export interface SupervisorOptions {
  /** Starts the process; a rejection leads to another try. The signal aborts at `stop`. */
  launch: (signal: AbortSignal) => SupervisedProcess | Promise<SupervisedProcess>;
  backoff: BackoffOptions;
  /** Called each time it ends by itself. */
  onEnd: (end: ProcessEnd) => void;
  /** Called each time it could not be started. */
  onLaunchFailed: (error: unknown) => void;
}

/** Running this long counts as a success, and resets the back-off. */
const STABLE_MS = 10_000;

/**
 * Keeps one child process running.
 *
 *   launching ──up──▶ running ──ends by itself──▶ waiting ──back-off over──▶ launching
 *       └──────────────fails───────────────────────▲
 *   any of them ──stop──▶ stopped (final)
 *
 * It never gives up: the cause of a failure (a full disk, a missing file) may be fixed in the meantime. Each end soon
 * after a start, and each failed start, makes the next wait longer.
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

  /** @param first the process, where the caller has launched it: if its first start must succeed */
  start(first?: SupervisedProcess): void {
    this.#current = first;
    this.#keeping = this.#keep(first);
  }

  /** Ends the process, or the start in progress, and waits for it. */
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
      // It may have missed the signal in its last step, when `stop` found nothing to end.
      if (signal.aborted) await launched.end();
      else this.#current = launched;
      return launched;
    } catch (error) {
      if (!signal.aborted) this.#options.onLaunchFailed(error);
      return undefined;
    }
  }
}

/** How a child process ends; never rejects. Also works for one that has already ended, or could not be started. */
export const waitForEnd = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    const { exitCode: code, signalCode: signal } = child;
    if (code !== null || signal !== null) return resolve({ code, signal });
    child.once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
    // "error" without a process is a failed start; for a running one, it is a message or signal that could not be
    // delivered.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
