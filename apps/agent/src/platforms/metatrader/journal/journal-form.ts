import type { SafeDirectory } from '@berth/kit';
import type { CodePage } from '../code-page.ts';
import {
  findExpertEvent,
  findJournalEvent,
  listPeriodNames,
  withoutFolder,
  type ExpertPlace,
  type JournalEvent,
} from './journal-events.ts';
import { findJournalLine, findShortJournalLine, type JournalLine } from './journal-line.ts';
import { findMt4Event, findMt4ExpertEvent } from './mt4-events.ts';

/** The format of one program's journals. */
export interface JournalForm {
  /** The size of a code unit: every line starts at a multiple of it. */
  unitBytes: 1 | 2;
  /** Complete lines as text, in order. */
  toLines(bytes: Buffer): string[];
  findLine(text: string): JournalLine | undefined;
  findEvent(line: JournalLine): JournalEvent | undefined;
  /** The same for a line of the EAs' log. */
  findExpertEvent(line: JournalLine): JournalEvent | undefined;
  /** Whether a line of the EAs' log is from a program of this name. */
  isOfProgram(line: JournalLine, name: string): boolean;
  /** What a line of the EAs' log says of this very EA; undefined for a line about another one. */
  findExpertText(line: JournalLine, place: ExpertPlace): string | undefined;
  /** Whether a line of the EAs' log was written by the code of this very EA. Warnings and errors are the terminal's. */
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

const findMt5Text: JournalForm['findExpertText'] = ({ source, message }, { name, symbol, period }) =>
  listPeriodNames(period).some((periodName) => source === `${withoutFolder(name)} (${symbol},${periodName})`)
    ? message
    : undefined;

/** Five columns of UTF-16 with a byte order mark. */
export const mt5Journal: JournalForm = {
  unitBytes: 2,
  toLines: (bytes) => withoutMark(bytes.toString('utf16le')).split(LINE_END),
  findLine: findJournalLine,
  findEvent: findJournalEvent,
  findExpertEvent,
  isOfProgram: ({ source }, name) => source.startsWith(`${name} (`),
  findExpertText: findMt5Text,
  isOfExpert: (line, place) => line.level === 0 && findMt5Text(line, place) !== undefined,
};

/** A line that is not UTF-8 was written in the box's code page. Where that is unknown, only ASCII is certain. */
const toMt4Line = (line: string, codePage: CodePage | undefined): string => {
  const bytes = Buffer.from(line, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes(DAMAGE) ? (codePage?.decode(bytes) ?? line) : text;
};

const toMt4Lines = (bytes: Buffer, codePage?: CodePage): string[] => {
  const text = bytes.toString('utf8');
  if (!text.includes(DAMAGE)) return withoutMark(text).split(LINE_END);
  const lines = bytes.toString('latin1').split(LINE_END);
  return lines.map((line) => toMt4Line(line, codePage));
};

/** The form for a terminal whose 8-bit files are in this code page. */
export const withCodePage = (form: JournalForm, codePage: CodePage | undefined): JournalForm =>
  form.unitBytes === 1 ? { ...form, toLines: (bytes) => toMt4Lines(bytes, codePage) } : form;

const findMt4Text: JournalForm['findExpertText'] = ({ message }, { name, symbol, period }) => {
  const beginnings = listPeriodNames(period).map((periodName) => `${withoutFolder(name)} ${symbol},${periodName}: `);
  const beginning = beginnings.find((each) => message.startsWith(each));
  return beginning === undefined ? undefined : message.slice(beginning.length);
};

/** Three columns of 8-bit characters, without a source. */
export const mt4Journal: JournalForm = {
  unitBytes: 1,
  toLines: (bytes) => toMt4Lines(bytes),
  findLine: findShortJournalLine,
  findEvent: findMt4Event,
  findExpertEvent: findMt4ExpertEvent,
  isOfProgram: ({ message }, name) => message.startsWith(`${withoutFolder(name)} `),
  findExpertText: findMt4Text,
  // What the terminal writes about its inputs comes before the code runs, and `uninit` when it ends: also after a
  // failure.
  isOfExpert: (line, place) => {
    const text = line.level === 0 ? findMt4Text(line, place) : undefined;
    return text !== undefined && !/^(?:uninit|initialization failed)/.test(text);
  },
};
