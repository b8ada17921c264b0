/** Names of statuses and types, where the interface wants their numbers. */

/** The number of a name; a number stays what it is. */
export const toNumber = <Name extends string>(
  table: Readonly<Record<Name, number>>,
  name: Name | number | undefined,
): number | undefined => (typeof name === 'string' ? table[name] : name);

/** Numbers in a query, comma-separated; undefined where there is none. */
export const toNumberList = <Name extends string>(
  table: Readonly<Record<Name, number>>,
  names: readonly (Name | number)[] = [],
): string | undefined => (names.length > 0 ? names.map((name) => toNumber(table, name) ?? name).join() : undefined);
