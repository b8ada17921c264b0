/** The table of `script/operator`, and what was typed in it. */
import { UsageError, type Command } from '@berth/command';
import { findNearestName } from '@berth/contract';
import type { ServerConfig } from '../config.ts';
import { backupCommands } from './backups.ts';
import type { OperatorCommand } from './command.ts';
import { hostCommands } from './hosts.ts';
import { withInstance } from './instance.ts';
import { userCommands } from './users.ts';

const groups: Record<string, Record<string, OperatorCommand>> = {
  users: userCommands,
  hosts: hostCommands,
  backups: backupCommands,
};

const ENDING = `Add --json for programs. USER is an id or an e-mail address, HOST an id or a name.

Settings are the server's: BERTH_DATA_DIR, BERTH_DATABASE_URL, BERTH_PUBLIC_URL. The server may run or be stopped.
What was changed is in the audit log. All about operating: docs/guides/admin.md

Exit codes: 0 done, 1 failed, 2 wrong arguments, 78 wrong settings.
`;

const toLines = (group: string): string[] =>
  Object.entries(groups[group] ?? {}).map(([name, { summary }]) => `  ${`${group} ${name}`.padEnd(22)} ${summary}`);

/** Of all commands, or of those of a group. */
export const toUsage = (group?: string): string => {
  const names = group === undefined ? Object.keys(groups) : [group];
  const lines = names.map((name) => toLines(name).join('\n'));
  return `Usage: script/operator ${group ?? 'GROUP'} COMMAND [...]

Does on the server's machine what operators do in a browser. script/operator ${group ?? 'GROUP'} COMMAND --help says
how each is used.

${lines.join('\n\n')}

${ENDING}`;
};

const toCommandUsage = (name: string, { form, summary, details }: OperatorCommand): string =>
  [`Usage: script/operator ${`${name} ${form}`.trim()}`, '', `${summary[0]?.toUpperCase()}${summary.slice(1)}.`]
    .concat(details === undefined ? [] : ['', details], ['', ENDING])
    .join('\n');

/** What was asked for: a page of help, or a command and its arguments. */
export type Asked =
  { kind: 'help'; text: string } | { kind: 'command'; name: string; command: OperatorCommand; args: readonly string[] };

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

/** @throws UsageError on what there is not, with the nearest that there is */
const assertKnown = (table: Record<string, unknown>, word: string, path: string): void => {
  if (Object.hasOwn(table, word)) return;
  const known = Object.keys(table);
  const nearest = findNearestName(word, known);
  const hint = nearest === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${path}${nearest}?`;
  throw new UsageError(`There is no command ${path}${word}. ${hint}`);
};

/** @throws UsageError */
export const findCommand = ([group, name, ...args]: readonly string[]): Asked => {
  if (isHelp(group)) return { kind: 'help', text: toUsage() };
  if (group === undefined) throw new UsageError(`Name a command: ${Object.keys(groups).join(', ')}.`);
  assertKnown(groups, group, '');
  if (isHelp(name)) return { kind: 'help', text: toUsage(group) };
  const commands = groups[group]!;
  if (name === undefined) throw new UsageError(`Name a command of ${group}: ${Object.keys(commands).join(', ')}.`);
  assertKnown(commands, name, `${group} `);
  return { kind: 'command', name: `${group} ${name}`, command: commands[name]!, args };
};

/** As all commands are run. */
export const toProcessCommand = (
  name: string,
  command: OperatorCommand,
  migrations: string,
): Command<ServerConfig> => ({
  usage: toCommandUsage(name, command),
  options: command.options,
  positionals: { min: command.count, max: command.count },
  run: ({ settings: config, ...call }) =>
    withInstance({ config, migrations, signal: call.signal }, (instance) => command.run(instance, call)),
});
