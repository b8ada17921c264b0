/** The first argument of `script/agent`. This table is all that the agent itself loads of its commands. */
export const commandSummaries = {
  doctor: 'says what this machine can host, and what is missing',
  'prepare-base': 'makes what terminals are copied from, out of an installer or a folder',
  bases: 'lists what terminals are copied from, and chooses one',
  probe: 'tries on a real terminal what was never tried, and writes a report',
  shell: 'opens a shell in the box of a terminal, or runs a command there',
  screen: "takes a screenshot of a terminal's whole screen",
} as const;

export type CommandName = keyof typeof commandSummaries;

export const isCommandName = (text: string | undefined): text is CommandName =>
  text !== undefined && Object.hasOwn(commandSummaries, text);

/** One line for each command, for a page of usage. */
export const listCommandLines = (): string[] =>
  Object.entries(commandSummaries).map(([name, summary]) => `  ${name.padEnd(22)} ${summary}`);
