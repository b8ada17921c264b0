import type { Logger } from '@berth/kit';
import { holdExpertsLog, holdJournal, type TerminalHome } from '../home.ts';
import type { Edition } from '../edition.ts';
import { readPast, readPastErrors } from '../journal/history.ts';
import type { JournalEvent } from '../journal/journal-events.ts';
import { JournalFollower } from '../journal/journal-follower.ts';
import { JournalTail } from '../journal/journal-tail.ts';
import { unlessUnsafe } from '../files/text-file.ts';

export interface JournalWatchOptions {
  home: TerminalHome;
  edition: Edition;
  onEvents: (events: readonly JournalEvent[]) => void;
  log: Logger;
}

interface Tails {
  journal: JournalTail;
  /** Undefined where the log cannot be read: then the errors of EAs stay unknown. */
  expertsLog: JournalTail | undefined;
}

/** Another place than the journal, whose gaps say nothing about the terminal itself. */
const toExpertsEvent = (event: JournalEvent): JournalEvent =>
  event.kind === 'skipped' ? { kind: 'experts_log_skipped' } : event;

/** Follows the journal of one terminal, and the log of its EAs, across its runs. */
export class JournalWatch {
  readonly #options: JournalWatchOptions;
  /** In the order in which they are read: an EA's error comes after its load. */
  #followers: JournalFollower[] = [];

  constructor(options: JournalWatchOptions) {
    this.#options = options;
  }

  /** Before a start. If a folder was replaced by another one, that is the journal from now on. */
  async followFromNow(): Promise<void> {
    const { home, edition } = this.#options;
    await this.catchUp();
    const journal = await JournalTail.fromEnd(await holdJournal(home, edition), { isWritten: false });
    const expertsLog = await this.#openExpertsLog(journal, async () =>
      JournalTail.fromEnd(await holdExpertsLog(home, edition), { isWritten: false }),
    );
    this.#follow({ journal, expertsLog });
  }

  /** Reads what was written since the terminal's last start, and follows what comes. @returns the events so far */
  async followFromStart(): Promise<JournalEvent[]> {
    const { home, edition } = this.#options;
    const { events, startedAt, tail } = await readPast(await holdJournal(home, edition));
    const past = await this.#openExpertsLog(tail, async () =>
      readPastErrors(await holdExpertsLog(home, edition), startedAt),
    );
    this.#follow({ journal: tail, expertsLog: past?.tail });
    return [...events, ...(past?.events ?? [])];
  }

  /** Resolves when everything written so far was read. */
  async catchUp(): Promise<void> {
    for (const follower of this.#followers) await follower.catchUp();
  }

  /** @param isBusy whether somebody waits for the next line */
  setBusy(isBusy: boolean): void {
    for (const follower of this.#followers) follower.setBusy(isBusy);
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
    this.#followers = [];
  }

  async #openExpertsLog<Result>(journal: JournalTail, open: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await unlessUnsafe(open);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  #follow({ journal, expertsLog }: Tails): void {
    this.close();
    const { onEvents, log } = this.#options;
    this.#followers = [new JournalFollower({ tail: journal, onEvents, log })];
    if (!expertsLog) return;
    const onErrors = (events: JournalEvent[]): void => onEvents(events.map(toExpertsEvent));
    const name = "experts' log";
    this.#followers.push(new JournalFollower({ tail: expertsLog, name, onEvents: onErrors, log }));
  }
}
