/** Names of statuses and types, where the interface wants their numbers. */

/** The number of a name; a number stays what it is, and so does what is no name. */
export const toNumber = <Name extends string>(
  table: Readonly<Record<Name, number>>,
  name: Name | number | undefined,
): Name | number | undefined => (typeof name === 'string' ? (table[name] ?? name) : name);

/** Numbers in a query, comma-separated. What is no name stays as it is, so that the server refuses it. */
export const toNumberList = <Name extends string>(
  table: Readonly<Record<Name, number>>,
  names: readonly (Name | number)[],
): string => names.map((name) => toNumber(table, name)).join();
