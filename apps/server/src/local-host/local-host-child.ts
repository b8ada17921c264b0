import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sleep, toBackoffMs, type Logger } from '@berth/kit';

export interface ChildEnd {
  name: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SupervisedChildOptions {
  name: string;
  /** Starts the process, with an IPC channel. */
  spawn: () => ChildProcess;
  /** Asks it to end; after `politeMs` it gets SIGTERM, and after another TERM_MS SIGKILL. */
  askToEnd: (child: ChildProcess) => void;
  politeMs: number;
  onEnd: (end: ChildEnd) => void;
  log: Logger;
}

const BACKOFF = { baseMs: 200, maxMs: 10_000 };
/** Running this long counts as a success, and the back-off starts from the beginning. */
const STABLE_MS = 10_000;
const TERM_MS = 5_000;

/**
 * Keeps one child process running: running ─(ends by itself)─▶ waiting ─back-off over─▶ running, until `stop`, which is
 * final. It never gives up: what makes a local host fail (a full disk, a missing file) can be mended while the server runs.
 */
export class SupervisedChild {
  readonly #options: SupervisedChildOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: SupervisedChildOptions) {
    this.#options = options;
  }

  /** The process id; undefined while it is down. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    this.#watching = this.#watch();
  }

  /**
   * Ends the process and waits for it.
   * @param evenIfDown a process that is down at this moment is started once more to be asked to end: it has a last duty.
   */
  async stop({ evenIfDown = false } = {}): Promise<void> {
    this.#stopping.abort();
    const child = this.#child ?? (evenIfDown ? this.#options.spawn() : undefined);
    if (child) await this.#end(child);
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { name, log, onEnd } = this.#options;
    for (let failures = 0; !this.#stopping.signal.aborted;) {
      const startedAt = performance.now();
      this.#child = this.#options.spawn();
      const end = await waitForEnd(this.#child);
      this.#child = undefined;
      if (this.#stopping.signal.aborted) return;
      log.error({ child: name, ...end }, 'a part of the local host ended by itself and is started again');
      onEnd({ name, ...end });
      failures = performance.now() - startedAt < STABLE_MS ? failures + 1 : 0;
      await sleep(toBackoffMs(failures, BACKOFF), this.#stopping.signal);
    }
  }

  async #end(child: ChildProcess): Promise<void> {
    const ended = waitForEnd(child);
    this.#options.askToEnd(child);
    if (await isWithin(ended, this.#options.politeMs)) return;
    this.#options.log.warn({ child: this.#options.name, pid: child.pid }, 'a part of the local host does not end');
    child.kill('SIGTERM');
    if (await isWithin(ended, TERM_MS)) return;
    child.kill('SIGKILL');
    await ended;
  }
}

const waitForEnd = async (child: ChildProcess): Promise<Omit<ChildEnd, 'name'>> => {
  const { exitCode: code, signalCode: signal } = child;
  if (code !== null || signal !== null) return { code, signal };
  try {
    const [exitCode, exitSignal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code: exitCode, signal: exitSignal };
  } catch {
    // It could not be started at all ("error" without "exit").
    return { code: null, signal: null };
  }
};

const isWithin = async (ended: Promise<unknown>, waitMs: number): Promise<boolean> => {
  const timer = new AbortController();
  const result = await Promise.race([ended.then(() => true), sleep(waitMs, timer.signal).then(() => false)]);
  timer.abort();
  return result;
};
