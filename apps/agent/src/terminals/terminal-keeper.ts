import type { Logger, Timing } from '@berth/kit';
import type { Platform } from '@berth/contract/values';
import type { Observation, PlatformRegistry, TerminalDriver } from '../platforms/driver.ts';

export interface TerminalName {
  id: string;
  platform: Platform;
}

export interface TerminalKeeperOptions {
  registry: PlatformRegistry;
  /** Called at every change that a driver observes. */
  onObservation: (terminalId: string, observation: Observation) => void;
  timing: Pick<Timing, 'sleep'>;
  log: Logger;
}

interface Kept {
  opening: Promise<TerminalDriver>;
  /** Set once opened. */
  driver?: TerminalDriver;
  stopListening?: () => void;
  /** Settles when the last job in the queue is done. */
  line: Promise<void>;
  jobs: number;
}

/** When a stop waits for a terminal's current job, that was already asked to end; the wait is limited to this time. */
const LINE_MS = 4_000;

/**
 * The open terminals of one host. The jobs of one terminal run one at a time in the order in which they came; those of
 * different terminals run in parallel.
 */
export class TerminalKeeper {
  readonly #options: TerminalKeeperOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: TerminalKeeperOptions) {
    this.#options = options;
  }

  /** Opens the terminal unless it is open. Rejects when the driver cannot; the next call tries again. */
  open(terminal: TerminalName): Promise<TerminalDriver> {
    return this.#ensure(terminal).opening;
  }

  /**
   * Queues a job for the terminal. Settles with the job; rejects without running it when the terminal cannot be opened.
   */
  run(terminal: TerminalName, job: (driver: TerminalDriver) => Promise<void>): Promise<void> {
    const kept = this.#ensure(terminal);
    return this.#enqueue(kept, async () => job(await kept.opening));
  }

  /** Queues a job for an open terminal; does nothing when it was dropped since. */
  async runOpen({ terminalId }: TerminalDriver, job: () => Promise<void>): Promise<void> {
    const kept = this.#kept.get(terminalId);
    if (kept) await this.#enqueue(kept, job);
  }

  /** The open terminals, and whether each has a running or waiting job. */
  list(): { driver: TerminalDriver; isBusy: boolean }[] {
    return [...this.#kept.values()].flatMap(({ driver, jobs }) => (driver ? [{ driver, isBusy: jobs > 0 }] : []));
  }

  find(terminalId: string): TerminalDriver | undefined {
    return this.#kept.get(terminalId)?.driver;
  }

  /** Releases a terminal without touching its process. */
  drop(terminalId: string): void {
    const kept = this.#kept.get(terminalId);
    this.#kept.delete(terminalId);
    kept?.stopListening?.();
    kept?.driver?.detach();
  }

  /** Stops a terminal's process and releases it; its folder stays. */
  async stopAndDrop(terminalId: string): Promise<void> {
    const driver = this.find(terminalId);
    if (driver) await this.#stop(driver);
    this.drop(terminalId);
  }

  /**
   * Stops all terminals cleanly, at the same time; one that cannot be stopped does not hold up the others. A terminal's
   * current job ends first: if its stop overtook a start, a process would be left that nobody ends.
   */
  async stopAll(): Promise<void> {
    await Promise.all(this.list().map(({ driver }) => this.#stop(driver)));
  }

  detachAll(): void {
    for (const terminalId of [...this.#kept.keys()]) this.drop(terminalId);
  }

  async #stop(driver: TerminalDriver): Promise<void> {
    try {
      const turn = new AbortController();
      const stopped = this.runOpen(driver, () => {
        turn.abort();
        return driver.stop();
      });
      stopped.catch(() => undefined);
      await this.#options.timing.sleep(LINE_MS, turn.signal);
      await (turn.signal.aborted ? stopped : driver.stop());
    } catch (error) {
      this.#options.log.error({ err: error, terminal_id: driver.terminalId }, 'the terminal could not be stopped');
    }
  }

  #enqueue(kept: Kept, job: () => Promise<void>): Promise<void> {
    kept.jobs += 1;
    const done = kept.line.then(job);
    kept.line = done
      .catch(() => undefined)
      .then(() => {
        kept.jobs -= 1;
      });
    return done;
  }

  #ensure(terminal: TerminalName): Kept {
    const known = this.#kept.get(terminal.id);
    if (known) return known;
    const kept: Kept = { opening: this.#options.registry.open(terminal), line: Promise.resolve(), jobs: 0 };
    this.#kept.set(terminal.id, kept);
    kept.opening.then(
      (driver) => this.#follow(terminal.id, kept, driver),
      () => {
        if (this.#kept.get(terminal.id) === kept) this.#kept.delete(terminal.id);
      },
    );
    return kept;
  }

  #follow(terminalId: string, kept: Kept, driver: TerminalDriver): void {
    // It may have been dropped while it was being opened.
    if (this.#kept.get(terminalId) !== kept) return driver.detach();
    kept.driver = driver;
    kept.stopListening = driver.onObservation((seen) => this.#options.onObservation(terminalId, seen));
  }
}
