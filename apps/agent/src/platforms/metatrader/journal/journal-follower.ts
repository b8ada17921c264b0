import { watch, type FSWatcher } from 'node:fs';
import type { Logger } from '@berth/kit';
import { findJournalEvent, type JournalEvent } from './journal-events.ts';
import type { JournalTail } from './journal-tail.ts';

/** The system tells of changes at once; the polls are for file systems that do not, and cost a listing each. */
const BUSY_POLL_MS = 25;
const IDLE_POLL_MS = 2_000;

export interface JournalFollowerOptions {
  tail: JournalTail;
  /** Called with the events of one read, in order. */
  onEvents: (events: JournalEvent[]) => void;
  log: Logger;
}

/** Follows a journal until it is closed. Reads never overlap. */
export class JournalFollower {
  readonly #options: JournalFollowerOptions;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isReadPlanned = false;
  #pollMs = IDLE_POLL_MS;
  #isClosed = false;

  /** @param options the tail's folder must exist */
  constructor(options: JournalFollowerOptions) {
    this.#options = options;
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

  /** Reads what there is; resolves when its events were handed over. */
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
    this.#isClosed = true;
    this.#watcher?.close();
    clearTimeout(this.#timer);
  }

  async #readOnce(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const lines = await this.#options.tail.read();
      const events = lines.flatMap((line) => findJournalEvent(line) ?? []);
      if (events.length > 0 && !this.#isClosed) this.#options.onEvents(events);
    } catch (error) {
      this.#options.log.warn({ err: error, folder: this.#options.tail.folder }, 'the journal could not be read');
    }
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#options.tail.folder, { persistent: false }, () => void this.catchUp());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the journal cannot be watched, it is only polled');
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.catchUp().then(() => this.#schedule()), this.#pollMs);
    this.#timer.unref();
  }
}
