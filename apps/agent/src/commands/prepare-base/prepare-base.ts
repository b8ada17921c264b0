import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getCurrentBase, findBase, isBaseName, useBase } from '../../bases/bases.ts';
import type { BaseRecord } from '../../bases/base-record.ts';
import { createDraft, listDrafts, sweepDrafts, type BaseDraft } from '../../bases/drafts.ts';
import { CommandError, EXIT, UsageError, type CommandAnswer } from '@berth/command';
import { toGigabytes } from '../doctor/finding.ts';
import {
  type HostCall,
  type HostCommand,
  type HostSettings,
  findPlatformOption,
  type RealPlatform,
} from '../host-command.ts';
import { BaseBox } from './base-box.ts';
import { readGecko, readInstaller, STALL_SECONDS } from './run-installer.ts';
import { assertTerminalFolder, makeBase, type BaseSource } from './make-base.ts';

const usage = `Usage: script/agent prepare-base --platform mt5|mt4 (--installer FILE | --folder DIR) [--name NAME]
                                 [--pin BUILD|current] [--stall SECONDS] [--gecko FILE] [--json]

Makes a base, of which this host's terminals will be copies: a Windows 10 of its own under Wine, with the terminal in
it, started once and stopped cleanly, without any account. Several bases stand side by side; the first one of a platform
is chosen for new terminals, and "script/agent bases use NAME" chooses another. Interrupted at any moment, it leaves no
half base. It takes two to fifteen minutes, and the disk needs 5 GB for that time.

  --platform   mt5 for MetaTrader 5, mt4 for MetaTrader 4
  --installer  the setup program as the broker offers it; it runs in a box and downloads the terminal
  --folder     the folder of a terminal that is installed somewhere; its charts and experts are copied, too
  --name       of the new base (default)
  --pin        the build that its terminals are to stay on: its number, or "current"
  --stall      after how many seconds of doing nothing an installer is ended and tried again, twice at most (180)
  --gecko      wine-gecko-...-x86_64.msi, with which an installer that fails is tried again
  --json       for programs

It uses the agent's settings. Run it as the user that the agent runs as; the agent may run meanwhile.

Exit codes: 0 the base is ready, 1 it could not be made, 2 wrong arguments, 78 wrong settings.
`;

/** With less, the host's terminals would be the next to run out of space. */
const MIN_FREE_BYTES = 1024 ** 3;

interface PrepareOptions {
  platform: RealPlatform;
  name: string;
  source: BaseSource;
  pin: string | undefined;
}

const getStallMs = (text: string | undefined): number => {
  const seconds = Number(text ?? STALL_SECONDS);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError('--stall takes seconds, from 1 to 3600.');
};

const readPrepareOptions = async ({ options }: HostCall): Promise<PrepareOptions> => {
  const platform = findPlatformOption(options.platform);
  if (!platform) throw new UsageError('Say for which platform: --platform mt5 or --platform mt4.');
  const {
    installer,
    folder,
    name = 'default',
    pin,
    stall,
    gecko: geckoFile,
  } = options as Record<string, string | undefined>;
  if ((installer === undefined) === (folder === undefined)) {
    throw new UsageError('Say where the terminal comes from: either --installer FILE or --folder DIR.');
  }
  if (!isBaseName(name)) {
    throw new UsageError(
      '--name takes letters, digits, ".", "_" and "-", begins with a letter or digit, and is not "current".',
    );
  }
  if (pin !== undefined && pin !== 'current' && !/^\d{1,6}$/.test(pin)) {
    throw new UsageError('--pin takes the number of a build, or "current".');
  }
  if (installer !== undefined) {
    const content = await readInstaller(resolve(installer));
    const gecko = geckoFile === undefined ? undefined : await readGecko(resolve(geckoFile));
    return { platform, name, source: { kind: 'installer', content, stallMs: getStallMs(stall), gecko }, pin };
  }
  const from = resolve(folder ?? '');
  await assertTerminalFolder(from, platform);
  return { platform, name, source: { kind: 'folder', from }, pin };
};

const createRoomCheck = (folder: string) => async (): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw new CommandError(
    `Less than ${toGigabytes(MIN_FREE_BYTES)} is free on the disk of ${folder}. Free some space on it.`,
  );
};

const sweep = async ({ settings, say, signal }: HostCall): Promise<void> => {
  const remove = ({ folder, platform }: BaseDraft): Promise<void> =>
    new BaseBox(folder, platform === 'mt4' ? 'mt4' : 'mt5', settings, signal).remove();
  for (const name of await sweepDrafts(settings.basesFolder, remove)) {
    say(`Removed what an interrupted preparation of "${name}" had left.`);
  }
};

const assertNameIsFree = async ({ basesFolder }: HostSettings, { platform, name }: PrepareOptions): Promise<void> => {
  if (await findBase(basesFolder, platform, name)) {
    throw new CommandError(`There is a base "${name}" for ${platform} already. Choose another name with --name.`);
  }
  const other = (await listDrafts(basesFolder, platform)).find((draft) => draft.name === name);
  if (!other) return;
  const { pid } = other.preparer;
  throw new CommandError(`Process ${pid} prepares a base "${name}" just now. Wait for it, or choose another --name.`);
};

/** The first base of a platform is selected. */
const chooseFirst = async (folder: string, { platform, name }: PrepareOptions): Promise<boolean> => {
  const current = await getCurrentBase(folder, platform).catch(() => undefined);
  if (!current) await useBase(folder, platform, name);
  return !current;
};

const toAnswer = (record: BaseRecord, folder: string, isChosen: boolean): CommandAnswer => {
  const build = record.build === null ? 'of a build that it does not tell' : `build ${record.build}`;
  const pinned = record.pinned_build === null ? '' : `, pinned to build ${record.pinned_build}`;
  const use = isChosen
    ? 'New terminals are made from it.'
    : `To make new terminals from it: script/agent bases use ${record.name}`;
  return {
    exitCode: EXIT.fine,
    text: `The base "${record.name}" for ${record.platform} is ready: ${build}${pinned}, under ${record.wine_version}.\n${use}\n`,
    json: { ok: true, base: { ...record, folder, current: isChosen } },
  };
};

/** `script/agent prepare-base` */
export const prepareBase: HostCommand = {
  usage,
  options: {
    platform: { type: 'string' },
    installer: { type: 'string' },
    folder: { type: 'string' },
    name: { type: 'string' },
    pin: { type: 'string' },
    stall: { type: 'string' },
    gecko: { type: 'string' },
  },
  positionals: { min: 0, max: 0 },
  async run(call) {
    const { settings, signal, say } = call;
    const options = await readPrepareOptions(call);
    const { platform, name, source, pin } = options;
    await sweep(call);
    await assertNameIsFree(settings, options);
    const draft = await createDraft(settings.basesFolder, platform, name);
    const assertRoom = createRoomCheck(draft.folder);
    const box = new BaseBox(draft.folder, platform, settings, signal);
    try {
      const { record, folder } = await makeBase({
        draft,
        platform,
        box,
        source,
        linkSource: settings.linkSource,
        pin,
        assertRoom,
        say,
        signal,
      });
      return toAnswer(record, folder, await chooseFirst(settings.basesFolder, options));
    } catch (error) {
      await box.remove();
      if (signal.aborted) throw new CommandError(`${(signal.reason as Error).message}; no half base was left.`);
      throw error;
    }
  },
};
