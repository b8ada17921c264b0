import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { cutText } from '@berth/contract/values';
import { LauncherError } from '../launcher.ts';

/** Where the system's own tools are: never searched for in a PATH that somebody set. */
export const TOOL_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_TEXT_CHARACTERS = 300;

/** A tool's output, short enough for a sentence. Pure. */
export const toShortText = (text: string): string => cutText(text.trim().replaceAll(/\s+/g, ' '), MAX_TEXT_CHARACTERS);

/** Runs a tool of the system. Throws a LauncherError when it is missing, or fails because of the disk. @returns what it wrote */
export const runTool = async (file: string, args: readonly string[]): Promise<string> => {
  try {
    const env = { PATH: TOOL_PATH, LC_ALL: 'C' };
    return (await promisify(execFile)(file, args, { env, cwd: '/', maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') {
      throw new LauncherError('missing', `The host has no program ${file}. Install it.`, { cause: error });
    }
    const text = toShortText(stderr);
    if (/No space left|Disk quota exceeded|Read-only file system/.test(text)) {
      throw new LauncherError('disk', `The host's disk does not take the files (${text}). Free some space on it.`);
    }
    throw new Error(`${file} failed: ${text}`, { cause: error });
  }
};

/**
 * Removes files made by a program that may have tried to prevent it: names of any bytes, endlessly nested folders,
 * folders without permissions. Links are removed, not followed. Nothing may run there.
 */
export const removeTree = (path: string): Promise<void> =>
  removeWith(path, () => runTool('rm', ['-rf', '--one-file-system', '--', path]));

/** Like removeTree, but keeps the folder itself. */
export const emptyTree = (path: string): Promise<void> =>
  removeWith(path, () => runTool('find', [path, '-xdev', '-mindepth', '1', '-delete']));

const removeWith = async (path: string, remove: () => Promise<unknown>): Promise<void> => {
  if (!(await lstat(path).catch(() => undefined))) return;
  try {
    await remove();
  } catch {
    await runTool('find', [path, '-type', 'd', '-exec', 'chmod', 'u+rwx', '{}', ';']).catch(() => undefined);
    await remove();
  }
};
