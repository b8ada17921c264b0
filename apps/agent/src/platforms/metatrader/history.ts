import { join } from 'node:path';
import { listDayFiles, readDayFile } from './day-file.ts';
import { findJournalEvent, type JournalEvent } from './journal-events.ts';
import type { JournalPosition } from './journal-tail.ts';

/** A terminal restarts at least at the vendor's updates; what is older than this says nothing about the present. */
const MAX_DAYS_BACK = 31;

export interface History {
  events: JournalEvent[];
  /** Where the reading ended; undefined for a journal without files. */
  end: JournalPosition | undefined;
}

/**
 * What the journal says since the terminal's last start: the present state of a terminal that was started by an earlier
 * run of this program. No events when no start is found.
 */
export const readHistory = async (folder: string): Promise<History> => {
  const files = (await listDayFiles(folder)).reverse().slice(0, MAX_DAYS_BACK);
  let later: JournalEvent[] = [];
  let end: JournalPosition | undefined;
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
    end ??= { file, offset };
    later = [...events, ...later];
    if (hasStart) return { events: later, end };
  }
  return { events: [], end };
};
