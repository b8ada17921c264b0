import { join } from 'node:path';
import { findEndMarks, readDayFile, type JournalMarks } from './day-file.ts';
import { findJournalEvent, type JournalEvent } from './journal-events.ts';

/** A terminal restarts at least at the vendor's updates; what is older than this says nothing about the present. */
const MAX_DAYS_BACK = 31;

export interface History {
  events: JournalEvent[];
  /** Where the reading ended. */
  marks: JournalMarks;
}

/**
 * What the journal says since the terminal's last start: the present state of a terminal that was started by an earlier
 * run of this program. No events when no start is found.
 */
export const readHistory = async (folder: string): Promise<History> => {
  const marks = await findEndMarks(folder);
  const files = [...marks.keys()].reverse().slice(0, MAX_DAYS_BACK);
  let later: JournalEvent[] = [];
  for (const file of files) {
    let events: JournalEvent[] = [];
    let hasStart = false;
    const offset = await readDayFile(join(folder, file), 0, (line) => {
      const event = findJournalEvent(line);
      if (event?.kind === 'started') {
        events = [];
        hasStart = true;
      }
      if (event) events.push(event);
    });
    marks.set(file, offset);
    later = [...events, ...later];
    if (hasStart) return { events: later, marks };
  }
  return { events: [], marks };
};
