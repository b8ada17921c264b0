import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a host's programs are. The PATH of the environment may be a person's, and lack the folders of root. */
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Whether the file exists and is executable. */
export const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The first of these paths that is a program. */
export const findFirstProgram = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
};

/** The path of a program of the system. */
export const findProgram = (name: string): Promise<string | undefined> =>
  findFirstProgram(FOLDERS.map((folder) => join(folder, name)));

/**
 * What a program prints on stdout, trimmed; undefined where it fails, takes too long or prints too much. Its
 * environment is only a PATH.
 */
export const findToolOutput = (file: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const env = { PATH: FOLDERS.join(':'), HOME: '/nonexistent', LC_ALL: 'C' };
    const options = { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' as const };
    execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout.trim()));
  });
