import { join } from 'node:path';
import { listDayFiles, readDayFile } from './day-file.ts';
import { findJournalEvent, type JournalEvent } from './journal-events.ts';

/** A terminal restarts at least at the vendor's updates; what is older than this says nothing about the present. */
const MAX_DAYS_BACK = 31;

/**
 * What the journal says since the terminal's last start: the present state of a terminal that was started by an earlier
 * run of this program. Empty when no start is found.
 */
export const readEventsSinceStart = async (folder: string): Promise<JournalEvent[]> => {
  let later: JournalEvent[] = [];
  for (const file of (await listDayFiles(folder)).reverse().slice(0, MAX_DAYS_BACK)) {
    let events: JournalEvent[] = [];
    let hasStart = false;
    await readDayFile(join(folder, file), 0, (line) => {
      const event = findJournalEvent(line);
      if (event?.kind === 'started') {
        events = [];
        hasStart = true;
      }
      if (event) events.push(event);
    });
    later = [...events, ...later];
    if (hasStart) return later;
  }
  return [];
};
