/** Quoted for a POSIX shell: nothing in it has a special meaning. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
