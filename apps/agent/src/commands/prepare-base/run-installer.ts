import { lstat, readFile } from 'node:fs/promises';
import { sleep } from '@berth/kit';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';
import type { BaseBox } from './base-box.ts';

/** It downloads the terminal, and on a slow line that takes its time. */
const INSTALLER_MS = 20 * 60_000;
/** An installer that has ended may have left another one behind, which still writes. */
const QUIET_MS = 15_000;
const LOOK_MS = 1_000;
/** How long the terminal that an installer starts at its end may take to close. */
const CLOSE_MS = 60_000;
const MAX_INSTALLER_BYTES = 512 * 1024 * 1024;
const MAX_LOOK_BYTES = 64 * 1024;
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

interface Look {
  /** Where terminals lie, below drive C. */
  programs: string[];
  /** Changes with what is written. */
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

/** Waits until the installer has done its work: it has started the terminal, or it has ended and nothing is written any more. */
const waitForTerminal = async (
  box: BaseBox,
  program: string,
  findCode: () => Promise<number | undefined>,
  assertRoom: () => Promise<void>,
): Promise<string> => {
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
        `The installer ended with the exit code ${code}, and there is no ${program}. Is it for this platform, and does this machine reach the internet?`,
      );
    }
    if (code !== undefined && isQuiet) return first;
    await sleep(LOOK_MS);
    return undefined;
  };
  return box.waitFor('The installer', find, INSTALLER_MS);
};

/**
 * Runs an installer to its end, and stops the terminal that it starts then.
 * @returns where the program lies, below drive C
 */
export const runInstaller = async (
  box: BaseBox,
  platform: BasedPlatform,
  installer: Buffer,
  assertRoom: () => Promise<void>,
): Promise<string> => {
  const { folderName, program } = terminalPlaces[platform];
  const path = await box.bring('setup.exe', installer);
  const findCode = await box.start([path, '/auto', `/path:C:\\${folderName}`], INSTALLER_MS);
  const found = await waitForTerminal(box, program, findCode, assertRoom);
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
