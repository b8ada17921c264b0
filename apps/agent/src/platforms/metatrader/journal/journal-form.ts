import type { SafeDirectory } from '@berth/kit';
import { findJournalEvent, listPeriodNames, type ExpertPlace, type JournalEvent } from './journal-events.ts';
import { findJournalLine, findShortJournalLine, type JournalLine } from './journal-line.ts';
import { findMt4Event } from './mt4-events.ts';

/** How one program of the family writes its journals. */
export interface JournalForm {
  /** Of the smallest part of a character: every line begins at a multiple of it. */
  unitBytes: 1 | 2;
  /** Whole lines as text, in order. */
  toLines(bytes: Buffer): string[];
  findLine(text: string): JournalLine | undefined;
  findEvent(line: JournalLine): JournalEvent | undefined;
  /** Whether a line of the experts' log is of a program of this name. */
  isOfProgram(line: JournalLine, name: string): boolean;
  /** Whether a line of the experts' log was written by the code of this very expert. */
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

/** Five columns of UTF-16 with a mark at the file's beginning. */
export const mt5Journal: JournalForm = {
  unitBytes: 2,
  toLines: (bytes) => withoutMark(bytes.toString('utf16le')).split(LINE_END),
  findLine: findJournalLine,
  findEvent: findJournalEvent,
  isOfProgram: ({ source }, name) => source.startsWith(`${name} (`),
  isOfExpert: ({ source }, { name, symbol, period }) =>
    listPeriodNames(period).some((periodName) => source === `${name} (${symbol},${periodName})`),
};

/** A line that is no UTF-8 was written in the code page of the machine, of which only ASCII is sure. */
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
  isOfProgram: ({ message }, name) => message.startsWith(`${name} `),
  // What the terminal writes of its inputs comes before the code runs, and `uninit` when it ends: also after a failure.
  isOfExpert: ({ message }, { name, symbol, period }) =>
    listPeriodNames(period).some((periodName) => {
      const beginning = `${name} ${symbol},${periodName}: `;
      return (
        message.startsWith(beginning) && !/^(?:uninit|initialization failed)/.test(message.slice(beginning.length))
      );
    }),
};
