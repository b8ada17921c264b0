import { lstat, readFile } from 'node:fs/promises';
import { sleep } from '@berth/kit';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';
import type { BaseBox } from './base-box.ts';

/** It downloads the terminal, which takes a while on a slow connection. */
const INSTALLER_MS = 20 * 60_000;
/** An installer that has ended may have started another one, which is still writing. */
const QUIET_MS = 15_000;
const LOOK_MS = 1_000;
/** How long the terminal that an installer starts at the end may take to close. */
const CLOSE_MS = 60_000;
/** Others end an installer that does nothing after two to ten minutes, and retry up to three times. */
export const STALL_SECONDS = 180;
const TRIES = 3;
/** The screen and the checks themselves take this share of CPU time; an installer that works takes more. */
const IDLE_SHARE = 0.15;
const MAX_INSTALLER_BYTES = 512 * 1024 * 1024;
const MAX_LOOK_BYTES = 64 * 1024;
/** The first bytes of an MSI file. */
const MSI_MARK = 0xd0cf11e0;
/** Deep enough for `Program Files/MetaTrader 5`. */
const MAX_DEPTH = 5;

/** The installer, once it is known to be a Windows program. */
export const readInstaller = async (path: string): Promise<Buffer> => {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) throw new CommandError(`There is no file ${path}.`);
  if (!stats.isFile() && !stats.isSymbolicLink()) throw new CommandError(`${path} is no file.`);
  if (stats.size > MAX_INSTALLER_BYTES) throw new CommandError(`${path} is too large for an installer.`);
  const content = await readFile(path);
  if (content.toString('latin1', 0, 2) === 'MZ') return content;
  throw new CommandError(`${path} is no Windows program. Give the setup file as the broker offers it (…setup.exe).`);
};

/** Without Gecko, Wine shows no web pages; reports differ on whether an installer needs them. */
const GECKO_ADVICE =
  'If it shows web pages, it needs Gecko: give --gecko FILE with wine-gecko-…-x86_64.msi from dl.winehq.org/wine/wine-gecko.';

export interface InstallerOptions {
  /** Throws when the disk is nearly full. */
  assertRoom: () => Promise<void>;
  /** How long it may be completely idle. */
  stallMs: number;
  /** Wine's Gecko package, for a second try where the installer fails without it. */
  gecko: Buffer | undefined;
  say: (line: string) => void;
}

interface Look {
  /** Where terminals were found, below drive C. */
  programs: string[];
  /** Changes whenever something is written. */
  sizeText: string;
}

const lookAround = async (box: BaseBox, program: string): Promise<Look> => {
  const find = `find . -maxdepth ${MAX_DEPTH} -path ./windows -prune -o -type f -iname ${program} -print`;
  const script = `cd "$1" && ${find}; du -sk --exclude=./windows .`;
  const text = (await box.look(['/bin/sh', '-c', script, 'berth', box.insideHome], MAX_LOOK_BYTES)).toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return {
    programs: lines.filter((line) => line.startsWith('./')).map((line) => line.slice(2)),
    sizeText: lines.at(-1) ?? '',
  };
};

/** It neither writes nor computes. */
class InstallerStall extends CommandError {}

/** Whether nothing has happened for a while: nothing was written, and the processor was idle. */
class StallWatch {
  readonly #stallMs: number;
  #sinceMs = performance.now();
  #cpuMs = 0;
  #sizeText = '';

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** @param sizeText changes whenever something is written */
  isStalled(sizeText: string, cpuMs: number): boolean {
    const now = performance.now();
    const lookedMs = now - this.#sinceMs;
    const isBusy = cpuMs - this.#cpuMs > IDLE_SHARE * lookedMs;
    if (sizeText === this.#sizeText && lookedMs >= this.#stallMs && !isBusy) return true;
    if (sizeText !== this.#sizeText || lookedMs >= this.#stallMs) {
      [this.#sinceMs, this.#cpuMs, this.#sizeText] = [now, cpuMs, sizeText];
    }
    return false;
  }
}

/**
 * Waits until the installer is done: it has started the terminal, or it has ended and nothing is being written any
 * more.
 */
const waitForTerminal = async (
  box: BaseBox,
  program: string,
  findCode: () => Promise<number | undefined>,
  { assertRoom, stallMs }: InstallerOptions,
): Promise<string> => {
  const stall = new StallWatch(stallMs);
  let [sizeText, changedAtMs] = ['', performance.now()];
  const find = async (): Promise<string | undefined> => {
    await assertRoom();
    const look = await lookAround(box, program);
    if (look.sizeText !== sizeText) [sizeText, changedAtMs] = [look.sizeText, performance.now()];
    const [first] = look.programs;
    if (first !== undefined && (await box.hasTerminal())) return first;
    const code = await findCode();
    const isQuiet = performance.now() - changedAtMs >= QUIET_MS;
    if (code !== undefined && isQuiet && first === undefined) {
      throw new CommandError(
        `The installer ended with the exit code ${code}, and there is no ${program}. Is it for this platform, and does this machine reach the internet? ${GECKO_ADVICE}`,
      );
    }
    if (code !== undefined && isQuiet) return first;
    if (first === undefined && stall.isStalled(look.sizeText, await box.getCpuMs())) {
      throw new InstallerStall(`The installer did nothing for ${Math.round(stallMs / 1000)} s.`);
    }
    await sleep(LOOK_MS);
    return undefined;
  };
  return box.waitFor('The installer', find, INSTALLER_MS);
};

const runOnce = async (
  box: BaseBox,
  platform: BasedPlatform,
  installer: Buffer,
  options: InstallerOptions & { showsPages: boolean },
): Promise<string> => {
  const { folderName, program } = terminalPlaces[platform];
  const path = await box.bring('setup.exe', installer);
  const findCode = await box.start([path, '/auto', `/path:C:\\${folderName}`], INSTALLER_MS, options);
  const found = await waitForTerminal(box, program, findCode, options);
  const hasClosed = async (): Promise<true | undefined> => {
    if (!(await box.hasTerminal())) return true;
    await box.closeTerminals();
    await sleep(LOOK_MS);
    return undefined;
  };
  await box.waitFor('The terminal that the installer started', hasClosed, CLOSE_MS);
  await box.waitFor('The installer', findCode, CLOSE_MS);
  return found;
};

/** An idle installer is ended, and tried again. */
const runWithRetry = async (
  box: BaseBox,
  platform: BasedPlatform,
  installer: Buffer,
  options: InstallerOptions & { showsPages: boolean },
): Promise<string> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(box, platform, installer, options);
    } catch (error) {
      if (!(error instanceof InstallerStall)) throw error;
      if (tries === TRIES) throw new CommandError(`${error.message} That was try ${tries}. ${GECKO_ADVICE}`);
      options.say(`${error.message} Ending it, and trying again ...`);
    }
    await box.end();
    await box.open();
  }
};

/** Installs Gecko into the box's Windows, from Wine's own package. */
const installGecko = async (box: BaseBox, gecko: Buffer): Promise<void> => {
  const path = await box.bring('gecko.msi', gecko);
  await box.run('Installing Gecko', ['C:\\windows\\system32\\msiexec.exe', '/i', path, '/qn'], INSTALLER_MS);
};

/** The package, if it looks like one. */
export const readGecko = async (path: string): Promise<Buffer> => {
  const content = await readFile(path).catch(() => undefined);
  if (content?.readUInt32BE(0) === MSI_MARK) return content;
  throw new CommandError(`${path} is no package of Windows' installer. Give wine-gecko-…-x86_64.msi.`);
};

/**
 * Runs an installer to its end, and stops the terminal that it starts then. If a Gecko package is given, a failed
 * installer is tried again with it. @returns where the program is, below drive C
 */
export const runInstaller = async (
  box: BaseBox,
  platform: BasedPlatform,
  installer: Buffer,
  options: InstallerOptions,
): Promise<string> => {
  try {
    return await runWithRetry(box, platform, installer, { ...options, showsPages: false });
  } catch (error) {
    if (!options.gecko || !(error instanceof CommandError)) throw error;
    options.say(`${error.message} Trying again with Gecko ...`);
  }
  await box.end();
  await box.open();
  await installGecko(box, options.gecko);
  return runWithRetry(box, platform, installer, { ...options, showsPages: true });
};
