/** Names of statuses and types, where the API wants their numbers. */
import { InvalidArgumentError } from '../errors.ts';

type Table<Name extends string> = Readonly<Record<Name, number>>;

/**
 * The number of a name; a number stays what it is.
 * @throws InvalidArgumentError for a name that the table does not have: a filter that is left out would match everything
 */
export const toNumber = <Name extends string>(
  table: Table<Name>,
  name: Name | number | undefined,
): number | undefined => {
  if (name === undefined || typeof name === 'number') return name;
  if (typeof name === 'string' && Object.hasOwn(table, name)) return table[name];
  throw new InvalidArgumentError(`There is no "${String(name)}". Choose from ${Object.keys(table).join(', ')}.`);
};

/** One or several, by name or by number. */
export type NamesOrNumbers<Name extends string> = Name | number | readonly (Name | number)[];

/** The numbers of one or several. */
export const toNumbers = <Name extends string>(table: Table<Name>, names: NamesOrNumbers<Name>): number[] => {
  const list: readonly (Name | number)[] = Array.isArray(names) ? names : [names as Name];
  return list.map((name) => toNumber(table, name) ?? -1);
};
