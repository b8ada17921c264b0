/** An agent that does not run as root, where the tests do. */
import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from './bundle.ts';
import { programFolder } from './launcher-folder.ts';

export const isRoot = process.geteuid?.() === 0;
/** A user that owns nothing else on this machine. */
export const PLAIN_USER = 65_333;

/** Lets the user have a network in its boxes, as most systems do, without changing this one. */
const AS_PLAIN_USER = `mount -t tmpfs -o mode=755,size=16k none /dev/net && mknod -m 666 /dev/net/tun c 10 200
exec setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all -- env -i "$2" "$3" "$4" "$5" "$6" "$7" "$8"`;

/** Goes through the life of a terminal as the plain user. @returns its number and the size of a screenshot, as it prints them */
export const liveThroughAsPlainUser = async (folder: string, prefix: string, isolation: string): Promise<string> => {
  const program = join(folder, 'plain-user-main.mjs');
  await bundle('plain-user-main.ts', program);
  await chown(folder, PLAIN_USER, PLAIN_USER);
  const words = [process.execPath, program, folder, prefix, programFolder, isolation, 'notepad.exe'];
  const own = ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', AS_PLAIN_USER, 'plain-user'];
  return (await promisify(execFile)('unshare', [...own, String(PLAIN_USER), ...words])).stdout;
};
