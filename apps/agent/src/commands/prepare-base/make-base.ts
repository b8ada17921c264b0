import { mkdir, cp, lstat } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { constants } from 'node:fs';
import { CommandError } from '@berth/command';
import { writeBaseRecord, type BaseRecord } from '../../bases/base-record.ts';
import { publishDraft, type BaseDraft } from '../../bases/drafts.ts';
import { removeTree, runTool } from '../../launchers/wine/host-tools.ts';
import { findToolOutput } from '../doctor/tools.ts';
import { toProgramPath, type BasedPlatform, terminalPlaces } from '../../bases/places.ts';
import type { BaseBox } from './base-box.ts';
import { moveInstallation, readChecksums, settleFiles } from './finish-base.ts';
import { startForTheFirstTime } from './first-start.ts';
import { removeTraces, type BaseFiles } from './remove-traces.ts';
import { runInstaller } from './run-installer.ts';
import { compileLink, readLinkSource } from './compile-link.ts';

/** Traces of a terminal's use on another machine, which a new one must not start with. */
const LEFT_BEHIND = new Set(['accounts.dat', 'logs', 'crash', 'liveupdate']);

/** Throws a CommandError where the folder holds no terminal of the platform. */
export const assertTerminalFolder = async (folder: string, platform: BasedPlatform): Promise<void> => {
  const { program } = terminalPlaces[platform];
  const stats = await lstat(join(folder, program)).catch(() => undefined);
  if (stats?.isFile()) return;
  throw new CommandError(`${folder} holds no ${program}. Give the folder in which the terminal is installed.`);
};

/**
 * Copies the folder of an installed terminal, without its accounts and journals. Links and special files are skipped.
 */
export const copyTerminalFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: async (path) => {
      if (path === from) return true;
      if (LEFT_BEHIND.has(basename(path).toLowerCase())) return false;
      const stats = await lstat(path);
      return stats.isFile() || stats.isDirectory();
    },
  });

export type BaseSource =
  { kind: 'installer'; content: Buffer; stallMs: number; gecko: Buffer | undefined } | { kind: 'folder'; from: string };

export interface BaseRequest {
  draft: BaseDraft;
  platform: BasedPlatform;
  box: BaseBox;
  source: BaseSource;
  /** The folder with the source of the link program. */
  linkSource: string;
  /** A build's number, or `current`. */
  pin: string | undefined;
  /** Throws when the disk is nearly full. */
  assertRoom: () => Promise<void>;
  say: (line: string) => void;
  signal: AbortSignal;
}

const fill = async ({ box, platform, source, assertRoom, say }: BaseRequest): Promise<void> => {
  if (source.kind === 'folder') {
    await box.end();
    say('Copying the terminal ...');
    return copyTerminalFolder(source.from, box.root);
  }
  say('Running the installer, which downloads the terminal ...');
  const { stallMs, gecko } = source;
  const found = await runInstaller(box, platform, source.content, { assertRoom, stallMs, gecko, say });
  // From here on the files no longer change, and the agent may touch them.
  await box.end();
  await moveInstallation(box.home.home, found, box.root);
};

const toFiles = ({ draft, platform, box }: BaseRequest): BaseFiles => ({
  platform,
  folder: draft.folder,
  home: box.home.home,
  root: box.root,
});

/** Files that a running box needs, and a base does not. */
const BOX_FILES = ['run', 'box.lock', 'box.log', 'box.json', 'prefix/drive_c/berth'];

const finish = async (request: BaseRequest): Promise<void> => {
  const { draft, box } = request;
  await box.end();
  await removeTraces(toFiles(request));
  for (const name of BOX_FILES) await removeTree(join(draft.folder, name));
  await settleFiles(join(draft.folder, 'prefix'));
  await box.forget();
};

const toPinnedBuild = (pin: string | undefined, build: number): number | null => {
  if (pin === undefined) return null;
  return pin === 'current' ? build : Number(pin);
};

/** A quarter of a minute on an idle machine. */
const PREFIX_MS = 5 * 60_000;
const SYSTEM = 'C:\\windows\\system32\\';

/** Sets the empty prefix up as Windows 10. Wine does not prompt: neither Mono nor Gecko is installed. */
const makePrefix = async (box: BaseBox): Promise<void> => {
  await box.open();
  await box.run('Setting up Windows', [`${SYSTEM}wineboot.exe`, '-i'], PREFIX_MS);
  // Older versions of Wine report Windows 7 by default.
  await box.run('Choosing Windows 10', [`${SYSTEM}winecfg.exe`, '-v', 'win10'], PREFIX_MS);
};

/** A base is complete without the link program: its terminals have no account data then. */
const makeLink = async ({
  box,
  platform,
  linkSource,
  say,
  signal,
}: BaseRequest): Promise<{ version: string } | null> => {
  try {
    say('Compiling the link program, which tells what an account has ...');
    const source = await readLinkSource(linkSource);
    await compileLink({ box, platform, source });
    return { version: source.version };
  } catch (error) {
    signal.throwIfAborted();
    say(`${(error as Error).message} Going on without it: terminals of this base have no account data.`);
    return null;
  }
};

/** Makes a base of an empty draft, step by step. @returns its folder. When a step fails, the draft is left as it is. */
export const makeBase = async (request: BaseRequest): Promise<{ record: BaseRecord; folder: string }> => {
  const { draft, platform, box, pin, assertRoom, say, signal } = request;
  await assertRoom();
  say('Setting up a Windows for it ...');
  await mkdir(box.home.home, { recursive: true });
  await makePrefix(box);
  await fill(request);
  await removeTraces(toFiles(request));
  signal.throwIfAborted();
  say('Starting the terminal for the first time, which may take minutes ...');
  await box.open();
  const build = await startForTheFirstTime(box, platform, assertRoom);
  say('Stopped it cleanly.');
  const link = await makeLink(request);
  say('Finishing ...');
  await finish(request);
  const wineVersion = await findToolOutput(await box.findLoader(), ['--version']);
  const record: BaseRecord = {
    version: 1,
    platform,
    name: draft.name,
    program: toProgramPath(platform),
    build,
    wine_version: wineVersion ?? 'unknown',
    prepared_at: new Date().toISOString(),
    sha256: await readChecksums(box.root),
    pinned_build: toPinnedBuild(pin, build),
    link,
  };
  await writeBaseRecord(draft.folder, record);
  // Everything must be on disk before the name says that it is complete.
  await runTool('sync', ['-f', draft.folder]);
  signal.throwIfAborted();
  const folder = await publishDraft(draft);
  return { record, folder };
};
