import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a host's programs are. The environment's PATH may be that of a person, and lack what only root needs. */
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Whether there is a file that may be run. */
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
 * What a program says on stdout, trimmed; undefined where it fails, takes too long or says too much. It gets no environment but a
 * PATH.
 */
export const findToolOutput = (file: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const env = { PATH: FOLDERS.join(':'), HOME: '/nonexistent', LC_ALL: 'C' };
    const options = { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' as const };
    execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout.trim()));
  });
