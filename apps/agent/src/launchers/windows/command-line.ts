/**
 * Command lines as Windows wants them: one text, which each program takes apart itself. Almost all of them do it by the rules
 * of CommandLineToArgvW. No shell reads what is made here, so what is special to cmd.exe (& | < > ^ %) stays as it is.
 */

/** A line ends at the first; the second is what a person takes for its end. */
const UNSPEAKABLE = /[\0\r\n]/;

const assertSpeakable = (text: string): void => {
  if (UNSPEAKABLE.test(text)) throw new Error('A command line has neither NUL nor line breaks');
};

/**
 * One argument. Backslashes mean themselves, except before a quotation mark: there they are doubled, and one more makes the
 * mark a part of the text. What stands at the end stands before the closing mark.
 */
export const toQuotedArgument = (argument: string): string => {
  assertSpeakable(argument);
  if (argument !== '' && !/[\s"]/.test(argument)) return argument;
  return `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;
};

/** The program's own name, in which a backslash before a quotation mark means nothing; a file's name cannot have one. */
const toQuotedProgram = (program: string): string => {
  assertSpeakable(program);
  if (program === '' || program.includes('"')) throw new Error(`${program} cannot be the name of a program`);
  return /\s/.test(program) ? `"${program}"` : program;
};

/** The whole line that a process is started with. */
export const toCommandLine = (program: string, args: readonly string[]): string =>
  [toQuotedProgram(program), ...args.map(toQuotedArgument)].join(' ');

/** Text between the tags of XML, or in an attribute. What XML cannot hold at all is refused. */
export const toXmlText = (text: string): string => {
  // eslint-disable-next-line no-control-regex -- these are the characters that must not occur
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]/u.test(text))
    throw new Error('XML cannot hold this text');
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
};
