/** Numbers of the API's tables in queries and filters. Each may be given by its name, in any case: `3` or `active`. */

type Table = Readonly<Record<string, number>>;

/** @returns undefined: the table has no such number or name */
export const findNumber = (table: Table, text: string): number | undefined => {
  const name = text.trim().toUpperCase();
  return Object.hasOwn(table, name) ? table[name] : Object.values(table).find((number) => String(number) === name);
};

/** A comma-separated list. @returns undefined unless the table has them all */
export const parseNumbers = (table: Table, text: string): number[] | undefined => {
  const numbers = text.split(',').map((part) => findNumber(table, part));
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
};
