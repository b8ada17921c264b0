import type { Logger } from '@berth/kit';
import { holdJournal, type TerminalHome } from '../home.ts';
import type { Edition } from '../edition.ts';
import type { JournalEvent } from '../journal/journal-events.ts';
import { JournalFollower } from '../journal/journal-follower.ts';
import { JournalTail } from '../journal/journal-tail.ts';

export interface JournalWatchOptions {
  home: TerminalHome;
  edition: Edition;
  onEvents: (events: readonly JournalEvent[]) => void;
  log: Logger;
}

/** Follows the journal of one terminal across its runs. */
export class JournalWatch {
  readonly #options: JournalWatchOptions;
  #follower: JournalFollower | undefined;

  constructor(options: JournalWatchOptions) {
    this.#options = options;
  }

  /** If the folder was replaced by another one, that is the journal from now on. */
  async followFromNow(): Promise<void> {
    const { home, edition } = this.#options;
    await this.catchUp();
    this.follow(await JournalTail.fromEnd(await holdJournal(home, edition)));
  }

  follow(tail: JournalTail): void {
    this.close();
    const { onEvents, log } = this.#options;
    this.#follower = new JournalFollower({ tail, onEvents, log });
  }

  /** Resolves when everything written so far was read. */
  async catchUp(): Promise<void> {
    await this.#follower?.catchUp();
  }

  /** @param isBusy whether somebody waits for the next line */
  setBusy(isBusy: boolean): void {
    this.#follower?.setBusy(isBusy);
  }

  close(): void {
    this.#follower?.close();
    this.#follower = undefined;
  }
}
