import { findEndMarks, findTailOffset, readDayFile, type JournalMarks } from './day-file.ts';
import type { JournalEvent } from './journal-events.ts';
import type { JournalFolder } from './journal-form.ts';
import { withDay } from './journal-line.ts';
import { JournalTail } from './journal-tail.ts';

/** A terminal restarts at least at the vendor's updates; anything older than this says nothing about the present. */
const MAX_DAYS_BACK = 31;
/**
 * A terminal writes a few megabytes a day. If one writes without end, only the newest part is read: it shows the
 * current state.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of a day; what is beyond counts as skipped. */
const MAX_EVENTS = 10_000;
/** Of the EAs' log, which grows faster than the journal; it is read for each running terminal when the agent starts. */
const MAX_ERROR_BYTES = 16 * 1024 * 1024;

export interface History {
  events: JournalEvent[];
  /** When the terminal started, as `JournalLine` says it; undefined when no start is found. */
  startedAt: string | undefined;
  /** Where the reading ended. */
  marks: JournalMarks;
}

/** A terminal reports that it deleted its accounts just before it reports its start. */
const isOfNextStart = ({ kind }: JournalEvent): boolean => kind === 'accounts_deleted';

/** The events of a file since its last start, and where the reading began and ended. */
const readEvents = async (journal: JournalFolder, file: string, maxBytes: number) => {
  let events: JournalEvent[] = [];
  let startedAt: string | undefined;
  let firstAt: string | undefined;
  let droppedBytes = 0;
  const from = await findTailOffset(journal, file, maxBytes);
  const { offset } = await readDayFile({ ...journal, file, offset: from, maxBytes }, (text) => {
    const line = withDay(text, file);
    firstAt ??= line.at;
    const event = journal.form.findEvent(line);
    if (event?.kind === 'started') {
      events = events.slice(-1).filter(isOfNextStart);
      startedAt = line.at;
      droppedBytes = 0;
    }
    if (!event) return;
    if (events.length < MAX_EVENTS) events.push(event);
    else droppedBytes += line.message.length;
  });
  if (droppedBytes > 0) events.push({ kind: 'skipped', bytes: droppedBytes });
  return { events, startedAt, firstAt, from, offset };
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
    const { events, startedAt, from, offset } = await readEvents(journal, file, leftBytes);
    leftBytes -= offset - from;
    marks.set(file, offset);
    later = [...events, ...later];
    if (startedAt !== undefined) return { events: later, startedAt, marks };
  }
  return { events: [], startedAt: undefined, marks };
};

/** The errors in the EAs' log since a moment. If only the newest part of it is read, the last event says so. */
const readErrors = async (expertsLog: JournalFolder, since: string): Promise<Omit<History, 'startedAt'>> => {
  const marks = await findEndMarks(expertsLog);
  const files = [...marks.keys()].filter((file) => file.slice(0, 8) >= since.slice(0, 8)).reverse();
  let later: JournalEvent[] = [];
  let leftBytes = MAX_ERROR_BYTES;
  let isCut = false;
  for (const file of files) {
    const { events, firstAt = since, from, offset } = await readEvents(expertsLog, file, Math.max(0, leftBytes));
    leftBytes -= offset - from;
    marks.set(file, offset);
    later = [...events, ...later];
    isCut = from > 0 && firstAt >= since;
    if (from > 0) break;
  }
  const errors = later.filter((event) => 'at' in event && (event.at ?? '') >= since);
  isCut ||= later.some(({ kind }) => kind === 'skipped');
  return { events: isCut ? [...errors, { kind: 'experts_log_skipped' }] : errors, marks };
};

/** A folder of day files that is closed again, unless its tail owns it. */
const withFolder = async <Result>(journal: JournalFolder, read: () => Promise<Result>): Promise<Result> => {
  try {
    return await read();
  } catch (error) {
    await journal.folder.close();
    throw error;
  }
};

/**
 * The history, and the tail that continues where it ended. The tail owns the folder from now on, even if this fails.
 */
export const readPast = (journal: JournalFolder): Promise<Omit<History, 'marks'> & { tail: JournalTail }> =>
  withFolder(journal, async () => {
    const { events, startedAt, marks } = await readHistory(journal);
    return { events, startedAt, tail: new JournalTail(journal, marks) };
  });

/** The same for the EAs' log. */
export const readPastErrors = (
  expertsLog: JournalFolder,
  since: string | undefined,
): Promise<{ events: JournalEvent[]; tail: JournalTail }> =>
  withFolder(expertsLog, async () => {
    if (since === undefined) return { events: [], tail: new JournalTail(expertsLog, await findEndMarks(expertsLog)) };
    const { events, marks } = await readErrors(expertsLog, since);
    return { events, tail: new JournalTail(expertsLog, marks) };
  });
