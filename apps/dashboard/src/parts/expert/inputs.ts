/** An expert's inputs as editable rows. Pure. */
import { findInputFault } from '@berth/contract/values';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminalExperts.inputsEditor;

export interface InputRow {
  /** Of the row, while it is edited. */
  key: number;
  name: string;
  value: string;
  /** The host reported it: it cannot be renamed. */
  isKnown: boolean;
}

export const toRows = (inputs: Readonly<Record<string, string>>): InputRow[] =>
  Object.entries(inputs).map(([name, value], key) => ({ key: -key - 1, name, value, isKnown: true }));

/** The rows with the inputs of a preset: those that are there already get its values, the others follow. */
export const withInputs = (rows: readonly InputRow[], inputs: Readonly<Record<string, string>>): InputRow[] => {
  const names = new Set(rows.map(({ name }) => name));
  const added = Object.entries(inputs).filter(([name]) => !names.has(name));
  const lastKey = Math.max(0, ...rows.map(({ key }) => key));
  return [
    ...rows.map((row) => (Object.hasOwn(inputs, row.name) ? { ...row, value: inputs[row.name] ?? '' } : row)),
    ...added.map(([name, value], at) => ({ key: lastKey + at + 1, name, value, isKnown: false })),
  ];
};

/** What is wrong with a row, in a sentence. A row without a name is ignored. */
export const findInputError = (rows: readonly InputRow[], row: InputRow): string | undefined => {
  if (row.isKnown || row.name === '') return undefined;
  if (findInputFault(row.name) !== undefined) return words.wrongName;
  return rows.some((other) => other.key !== row.key && other.name === row.name) ? words.twice : undefined;
};

export const hasInputError = (rows: readonly InputRow[]): boolean =>
  rows.some((row) => findInputError(rows, row) !== undefined);

/** Those that differ from what the host reported; undefined where none does. */
export const toChangedInputs = (
  rows: readonly InputRow[],
  before: Readonly<Record<string, string>>,
): Record<string, string> | undefined => {
  const changed = rows.filter(
    ({ name, value }) => name !== '' && (!Object.hasOwn(before, name) || before[name] !== value),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(({ name, value }) => [name, value]));
};
