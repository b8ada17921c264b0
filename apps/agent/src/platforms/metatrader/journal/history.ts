import { findEndMarks, findTailOffset, readDayFile, type JournalMarks } from './day-file.ts';
import type { JournalEvent } from './journal-events.ts';
import type { JournalFolder } from './journal-form.ts';
import { JournalTail } from './journal-tail.ts';

/** A terminal restarts at least at the vendor's updates; anything older than this says nothing about the present. */
const MAX_DAYS_BACK = 31;
/**
 * A terminal writes a few megabytes a day. If one writes without end, only the newest part is read: it shows the
 * current state.
 */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_EVENTS = 10_000;

export interface History {
  events: JournalEvent[];
  /** Where the reading ended. */
  marks: JournalMarks;
}

/** A terminal reports that it deleted its accounts just before it reports its start. */
const isOfNextStart = ({ kind }: JournalEvent): boolean => kind === 'accounts_deleted';

/** The events of a file since its last start, and where the reading ended. */
const readEvents = async (journal: JournalFolder, file: string, maxBytes: number) => {
  let events: JournalEvent[] = [];
  let hasStart = false;
  const from = await findTailOffset(journal, file, maxBytes);
  const offset = await readDayFile({ ...journal, file, offset: from, maxBytes }, (line) => {
    const event = journal.form.findEvent(line);
    if (event?.kind === 'started') {
      events = events.slice(-1).filter(isOfNextStart);
      hasStart = true;
    }
    if (event && events.length < MAX_EVENTS) events.push(event);
  });
  return { events, hasStart, offset, sizeBytes: offset - from };
};

/**
 * The journal since the terminal's last start: the present state of a terminal that was started by an earlier run of
 * this program. No events when no start is found.
 */
export const readHistory = async (journal: JournalFolder): Promise<History> => {
  const marks = await findEndMarks(journal);
  const files = [...marks.keys()].reverse().slice(0, MAX_DAYS_BACK);
  let later: JournalEvent[] = [];
  let leftBytes = MAX_BYTES;
  for (const file of files) {
    if (leftBytes <= 0) break;
    const { events, hasStart, offset, sizeBytes } = await readEvents(journal, file, leftBytes);
    leftBytes -= sizeBytes;
    marks.set(file, offset);
    later = [...events, ...later].slice(-MAX_EVENTS);
    if (hasStart) return { events: later, marks };
  }
  return { events: [], marks };
};

/**
 * The history, and the tail that continues where it ended. The tail owns the folder from now on, even if this fails.
 */
export const readPast = async (journal: JournalFolder): Promise<{ events: JournalEvent[]; tail: JournalTail }> => {
  try {
    const { events, marks } = await readHistory(journal);
    return { events, tail: new JournalTail(journal, marks) };
  } catch (error) {
    await journal.folder.close();
    throw error;
  }
};
