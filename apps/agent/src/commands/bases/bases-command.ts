import { CommandError, EXIT, UsageError, type CommandAnswer, paint, type Page } from '@berth/command';
import { isBaseName, listBases, useBase, type Base } from '../../bases/bases.ts';
import { type HostCommand, type HostCall, findPlatformOption, realPlatforms } from '../host-command.ts';

const usage = `Usage: script/agent bases [--platform mt5|mt4] [--json]
       script/agent bases use NAME [--platform mt5|mt4] [--json]

Lists the bases of this host, which terminals are copied from, or chooses the one that new terminals are made from.
Terminals that exist keep the base that they were made from.

  --platform   only those of one platform; with "use" where two platforms have a base of that name
  --json       for programs

It uses the agent's settings BERTH_AGENT_DIR and BERTH_AGENT_BASES.

Exit codes: 0 fine, 1 there is no such base, 2 wrong arguments, 78 wrong settings.
`;

const toRow = ({ record, isCurrent }: Base): string[] => [
  isCurrent ? '*' : ' ',
  record.platform,
  record.name,
  record.build === null ? '-' : `${record.build}${record.pinned_build === null ? '' : ' pinned'}`,
  record.wine_version,
  record.prepared_at.slice(0, 10),
];

const HEAD = ['', 'platform', 'name', 'build', 'prepared with', 'on'];

const toTable = (page: Page, bases: readonly Base[]): string => {
  const rows = [HEAD, ...bases.map(toRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...rest] = lines;
  return [paint(page, 'dim', head), ...rest, '', '* New terminals are made from this one.', ''].join('\n');
};

const toJson = ({ folder, record, isCurrent }: Base): object => ({ ...record, folder, current: isCurrent });

const listAll = async ({ options, settings }: HostCall): Promise<Base[]> => {
  const platform = findPlatformOption(options.platform);
  const lists = (platform ? [platform] : realPlatforms).map((name) => listBases(settings.basesFolder, name));
  return (await Promise.all(lists)).flat();
};

const list = async (call: HostCall): Promise<CommandAnswer> => {
  const bases = await listAll(call);
  const none = `There are no bases in ${call.settings.basesFolder}.\nPrepare one: script/agent prepare-base --help\n`;
  return {
    exitCode: EXIT.fine,
    text: bases.length === 0 ? none : toTable(call.page, bases),
    json: { ok: true, bases: bases.map(toJson) },
  };
};

const use = async (call: HostCall, name: string): Promise<CommandAnswer> => {
  if (!isBaseName(name)) throw new UsageError(`"${name}" cannot be the name of a base.`);
  const found = (await listAll(call)).filter(({ record }) => record.name === name);
  const [base] = found;
  if (!base) throw new CommandError(`There is no base "${name}". script/agent bases lists those that there are.`);
  if (found.length > 1) throw new UsageError(`Both platforms have a base "${name}". Say which with --platform.`);
  const { platform } = base.record;
  await useBase(call.settings.basesFolder, platform, name);
  return {
    exitCode: EXIT.fine,
    text: `New ${platform} terminals are made from "${name}" from now on. Those that exist keep their base.\n`,
    json: { ok: true, base: toJson({ ...base, isCurrent: true }) },
  };
};

/** `script/agent bases` */
export const bases: HostCommand = {
  usage,
  options: { platform: { type: 'string' } },
  positionals: { min: 0, max: 2 },
  async run(call) {
    const [verb, name] = call.positionals;
    if (verb === undefined) return list(call);
    if (verb !== 'use') throw new UsageError(`There is "bases" and "bases use NAME", but no "bases ${verb}".`);
    if (name === undefined) throw new UsageError('"bases use" needs the name of a base.');
    return use(call, name);
  },
};
