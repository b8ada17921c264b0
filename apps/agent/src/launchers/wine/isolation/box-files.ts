/**
 * The small files that all boxes of a host share, made when the agent starts. A running box keeps those that it was started
 * with, because each is replaced as a whole.
 */
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@berth/kit';
import { BOX_USER } from './bubblewrap.ts';
import { listHostAddresses, toResolverFile, toRoutingRules } from './network.ts';
import { toFilterBytes } from './seccomp.ts';

export interface BoxFiles {
  /** Holds all of them. Boxes read in it under users of their own. */
  folder: string;
  /** The filter of system calls, and the one for boxes with 32-bit programs. */
  filters: { plain: string; with32Bit: string };
  rules: { 4: string; 6: string };
  /** The box's own files of `/etc`. */
  etc: string;
}

export const toBoxFiles = (folder: string): BoxFiles => ({
  folder,
  filters: { plain: join(folder, 'calls.bpf'), with32Bit: join(folder, 'calls-with-32-bit.bpf') },
  rules: { 4: join(folder, 'rules-4'), 6: join(folder, 'rules-6') },
  etc: join(folder, 'etc'),
});

const { name, id, home } = BOX_USER;

const settings = {
  passwd: `${name}:x:${id}:${id}:${name}:${home}:/bin/sh\n`,
  group: `${name}:x:${id}:\n`,
  hosts: '127.0.0.1 localhost berth\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  // Of no machine: terminals on one host must not be told apart, or put together, by it.
  'machine-id': `${'0'.repeat(31)}1\n`,
};

/**
 * Writes them into the folder, which is made where it is missing. No box may write in it.
 * @param options.privateNetworks exceptions from the private networks that are closed, such as `10.1.0.0/16`
 */
export const writeBoxFiles = async (
  folder: string,
  { privateNetworks }: { privateNetworks: readonly string[] },
): Promise<BoxFiles> => {
  const files = toBoxFiles(folder);
  await mkdir(files.etc, { recursive: true });
  await Promise.all([folder, files.etc].map((path) => chmod(path, 0o755)));
  const rules = toRoutingRules({ privateNetworks, hostAddresses: listHostAddresses() });
  const hostResolvers = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const contents: [path: string, content: string | Buffer][] = [
    [files.filters.plain, toFilterBytes({ allows32Bit: false })],
    [files.filters.with32Bit, toFilterBytes({ allows32Bit: true })],
    [files.rules[4], rules[4]],
    [files.rules[6], rules[6]],
    ...Object.entries({ ...settings, 'resolv.conf': toResolverFile(hostResolvers) }).map(
      ([file, content]): [string, string] => [join(files.etc, file), content],
    ),
  ];
  await Promise.all(contents.map(([path, content]) => replaceFile(path, content, { mode: 0o644 })));
  return files;
};
