/**
 * Windows command lines: one string, which each program parses itself. Almost all of them do it by the rules of
 * CommandLineToArgvW. No shell reads these, so the special characters of cmd.exe (& | < > ^ %) need no quoting.
 */

/** The first ends a command line; the others look like its end to a person. */
const UNSPEAKABLE = /[\0\r\n]/;

const assertSpeakable = (text: string): void => {
  if (UNSPEAKABLE.test(text)) throw new Error('A command line has neither NUL nor line breaks');
};

/**
 * One argument. Backslashes are literal, except before a quotation mark: there they are doubled, and one more makes the
 * mark a part of the text. The end of the argument counts as standing before the closing mark.
 */
export const toQuotedArgument = (argument: string): string => {
  assertSpeakable(argument);
  if (argument !== '' && !/[\s"]/.test(argument)) return argument;
  return `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;
};

/**
 * The program's own name, in which a backslash before a quotation mark means nothing; a file name cannot contain one.
 */
const toQuotedProgram = (program: string): string => {
  assertSpeakable(program);
  if (program === '' || program.includes('"')) throw new Error(`${program} cannot be the name of a program`);
  return /\s/.test(program) ? `"${program}"` : program;
};

/** The whole line that a process is started with. */
export const toCommandLine = (program: string, args: readonly string[]): string =>
  [toQuotedProgram(program), ...args.map(toQuotedArgument)].join(' ');

/** Text for an XML element or attribute. Characters that XML cannot represent are rejected. */
export const toXmlText = (text: string): string => {
  // eslint-disable-next-line no-control-regex -- matching control characters is the purpose
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]/u.test(text))
    throw new Error('XML cannot hold this text');
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
};
