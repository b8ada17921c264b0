import type { SafeDirectory } from '@berth/kit';
import {
  findJournalEvent,
  listPeriodNames,
  withoutFolder,
  type ExpertPlace,
  type JournalEvent,
} from './journal-events.ts';
import { findJournalLine, findShortJournalLine, type JournalLine } from './journal-line.ts';
import { findMt4Event } from './mt4-events.ts';

/** The format of one program's journals. */
export interface JournalForm {
  /** The size of a code unit: every line starts at a multiple of it. */
  unitBytes: 1 | 2;
  /** Complete lines as text, in order. */
  toLines(bytes: Buffer): string[];
  findLine(text: string): JournalLine | undefined;
  findEvent(line: JournalLine): JournalEvent | undefined;
  /** Whether a line of the EAs' log is from a program of this name. */
  isOfProgram(line: JournalLine, name: string): boolean;
  /** Whether a line of the EAs' log was written by the code of this very EA. */
  isOfExpert(line: JournalLine, place: ExpertPlace): boolean;
}

/** A folder of day files and how they are written. */
export interface JournalFolder {
  folder: SafeDirectory;
  form: JournalForm;
}

const LINE_END = '\r\n';
const UTF16_MARK = '\ufeff';
const DAMAGE = '\ufffd';

const withoutMark = (text: string): string => (text.startsWith(UTF16_MARK) ? text.slice(UTF16_MARK.length) : text);

/** Five columns of UTF-16 with a byte order mark. */
export const mt5Journal: JournalForm = {
  unitBytes: 2,
  toLines: (bytes) => withoutMark(bytes.toString('utf16le')).split(LINE_END),
  findLine: findJournalLine,
  findEvent: findJournalEvent,
  isOfProgram: ({ source }, name) => source.startsWith(`${name} (`),
  isOfExpert: ({ source }, { name, symbol, period }) =>
    listPeriodNames(period).some((periodName) => source === `${name} (${symbol},${periodName})`),
};

/** A line that is not UTF-8 was written in the machine's code page, of which only ASCII is certain. */
const toMt4Line = (line: string): string => {
  const text = Buffer.from(line, 'latin1').toString('utf8');
  return text.includes(DAMAGE) ? line : text;
};

/** Three columns of 8-bit characters, without a source. */
export const mt4Journal: JournalForm = {
  unitBytes: 1,
  toLines: (bytes) => {
    const text = bytes.toString('utf8');
    const lines = text.includes(DAMAGE) ? bytes.toString('latin1').split(LINE_END).map(toMt4Line) : undefined;
    return lines ?? withoutMark(text).split(LINE_END);
  },
  findLine: findShortJournalLine,
  findEvent: findMt4Event,
  isOfProgram: ({ message }, name) => message.startsWith(`${withoutFolder(name)} `),
  // What the terminal writes about its inputs comes before the code runs, and `uninit` when it ends: also after a
  // failure.
  isOfExpert: ({ message }, { name, symbol, period }) =>
    listPeriodNames(period).some((periodName) => {
      const beginning = `${withoutFolder(name)} ${symbol},${periodName}: `;
      return (
        message.startsWith(beginning) && !/^(?:uninit|initialization failed)/.test(message.slice(beginning.length))
      );
    }),
};
