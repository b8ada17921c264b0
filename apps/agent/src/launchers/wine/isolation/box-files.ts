/**
 * The small files that all boxes of a host share, written when the agent starts; those of the network at each start of
 * a box. A running box keeps those it was started with, because files are replaced, not modified.
 */
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@berth/kit';
import { BOX_USER } from './bubblewrap.ts';
import { listHostAddresses, toResolverFile, toRoutingRules } from './network.ts';
import { toFilterBytes } from './seccomp.ts';

export interface BoxFiles {
  /** Holds all of them. Boxes read it as users of their own. */
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
  // Not this machine's: terminals on one host must neither be told apart, nor be linked, by it.
  'machine-id': `${'0'.repeat(31)}1\n`,
};

interface NetworkOptions {
  /** Exceptions from the private networks that are closed, such as `10.1.0.0/16`. */
  privateNetworks: readonly string[];
}

const writeAll = async (contents: readonly (readonly [path: string, content: string | Buffer])[]): Promise<void> => {
  await Promise.all(contents.map(([path, content]) => replaceFile(path, content, { mode: 0o644 })));
};

/**
 * Rewrites what depends on the host's addresses and resolvers, which may have changed since the last box was started.
 */
export const writeNetworkFiles = async (
  { rules, etc }: BoxFiles,
  { privateNetworks }: NetworkOptions,
): Promise<void> => {
  const texts = toRoutingRules({ privateNetworks, hostAddresses: listHostAddresses() });
  const hostResolvers = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  await writeAll([
    [rules[4], texts[4]],
    [rules[6], texts[6]],
    [join(etc, 'resolv.conf'), toResolverFile(hostResolvers)],
  ]);
};

/** Writes them all into the folder, which is created if missing. No box may write to it. */
export const writeBoxFiles = async (folder: string, options: NetworkOptions): Promise<BoxFiles> => {
  const files = toBoxFiles(folder);
  await mkdir(files.etc, { recursive: true });
  await Promise.all([folder, files.etc].map((path) => chmod(path, 0o755)));
  await writeAll([
    [files.filters.plain, toFilterBytes({ allows32Bit: false })],
    [files.filters.with32Bit, toFilterBytes({ allows32Bit: true })],
    ...Object.entries(settings).map(([file, content]) => [join(files.etc, file), content] as const),
  ]);
  await writeNetworkFiles(files, options);
  return files;
};
