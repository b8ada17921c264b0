import { setImmediate as nextTurn } from 'node:timers/promises';
import { watch, type FSWatcher } from 'node:fs';
import type { Logger } from '@berth/kit';
import type { JournalEvent } from './journal-events.ts';
import type { JournalTail } from './journal-tail.ts';

/** The system reports changes immediately; the polls are for file systems that do not, and cost a listing each. */
const BUSY_POLL_MS = 25;
const IDLE_POLL_MS = 2_000;
/**
 * No journal changes this often between two polls: a terminal flushes a few times per second. Each change costs the
 * whole agent a moment, so a folder that changes without end is only polled from then on.
 */
const MAX_CHANGES = 2_000;
/** A journal that cannot be read is logged once in this time, whatever the terminal does to it. */
const LOG_MS = 60_000;

/**
 * A terminal writes a few megabytes a day. What one writes without end costs the agent no more than this, and the rest is
 * skipped: then what the terminal does is no longer known.
 */
const BUDGET = { bytes: 32 * 1024 * 1024, ms: 60_000 };
const MEGABYTE = 1_000_000;

/** In a row, before the journal of a terminal that writes without end has to wait for the next poll. */
const MAX_READINGS = 32;

export interface JournalFollowerOptions {
  tail: JournalTail;
  /** What the tail is called in the agent's log. */
  name?: 'journal' | "experts' log";
  /** Called with the events of one reading, in order. */
  onEvents: (events: JournalEvent[]) => void;
  log: Logger;
  /** So many bytes are read in so much time. */
  budget?: { readonly bytes: number; readonly ms: number };
}

/** Follows a journal until it is closed. Reads never overlap. */
export class JournalFollower {
  readonly #options: JournalFollowerOptions;
  readonly #name: string;
  #watcher: FSWatcher | undefined;
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isReadPlanned = false;
  #pollMs = IDLE_POLL_MS;
  #isClosed = false;
  #loggedAtMs = -Infinity;
  #budgetBeganAtMs = performance.now();
  /** Of `tail.readBytes`, when the budget began. */
  #readBefore = 0;
  /** Something was skipped; what is written until the budget is renewed will be skipped then. */
  #isSpent = false;

  constructor(options: JournalFollowerOptions) {
    this.#options = options;
    this.#name = options.name ?? 'journal';
    this.#watch();
    this.#schedule();
  }

  /** Polls fast while a caller waits for a line. */
  setBusy(isBusy: boolean): void {
    const pollMs = isBusy ? BUSY_POLL_MS : IDLE_POLL_MS;
    if (pollMs === this.#pollMs) return;
    this.#pollMs = pollMs;
    this.#schedule();
  }

  /** Reads everything available; resolves when its events were passed on. */
  catchUp(): Promise<void> {
    if (this.#isReadPlanned) return this.#reading;
    this.#isReadPlanned = true;
    this.#reading = this.#reading.then(async () => {
      this.#isReadPlanned = false;
      await this.#readOnce();
    });
    return this.#reading;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watcher?.close();
    clearTimeout(this.#timer);
    // A read in progress needs the folder until it has ended.
    void this.#reading.then(() => this.#options.tail.close());
  }

  async #readOnce(): Promise<void> {
    if (this.#isClosed) return;
    const { tail, onEvents, budget = BUDGET } = this.#options;
    try {
      if (performance.now() - this.#budgetBeganAtMs >= budget.ms) await this.#renewBudget();
      if (this.#isSpent) return;
      for (let readings = 0; readings < MAX_READINGS; readings += 1) {
        if (tail.readBytes - this.#readBefore >= budget.bytes) return await this.#skip();
        const events = (await tail.read()).flatMap((line) => tail.journal.form.findEvent(line) ?? []);
        if (events.length > 0 && !this.#isClosed) onEvents(events);
        if (!tail.hasMore || this.#isClosed) break;
        await nextTurn();
      }
    } catch (error) {
      this.#warn(error, `the ${this.#name} of a terminal could not be read`);
    }
  }

  async #renewBudget(): Promise<void> {
    if (this.#isSpent) await this.#skip();
    this.#isSpent = false;
    this.#budgetBeganAtMs = performance.now();
    this.#readBefore = this.#options.tail.readBytes;
  }

  async #skip(): Promise<void> {
    const bytes = await this.#options.tail.skip();
    if (bytes === 0) return;
    this.#isSpent = true;
    if (this.#isClosed) return;
    const text = `a terminal writes more into its ${this.#name} than is read: ${Math.ceil(bytes / MEGABYTE)} MB skipped`;
    this.#options.log.warn(text);
    this.#options.onEvents([{ kind: 'skipped', bytes }]);
  }

  #warn(error: unknown, message: string): void {
    if (performance.now() - this.#loggedAtMs < LOG_MS) return;
    this.#loggedAtMs = performance.now();
    this.#options.log.warn({ err: error }, message);
  }

  /** The open folder is watched, whatever its name refers to now. */
  #watch(): void {
    try {
      this.#watcher = watch(this.#options.tail.journal.folder.path, { persistent: false }, () => this.#noteChange());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      this.#warn(error, `the ${this.#name} of a terminal cannot be watched, it is only polled`);
    }
  }

  #noteChange(): void {
    this.#changes += 1;
    if (this.#changes > MAX_CHANGES) this.#watcher?.close();
    else void this.catchUp();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#changes = 0;
      void this.catchUp().then(() => this.#schedule());
    }, this.#pollMs);
    this.#timer.unref();
  }
}
