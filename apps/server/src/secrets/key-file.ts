import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SecretError } from './vault.ts';

const toKey = (text: string): Buffer =>
  Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? 'hex' : 'base64');

/** Creates the file whole or not at all, even when two servers start at once. */
const createKeyFile = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
};

export type Keys = [Buffer, ...Buffer[]];

/**
 * The instance's keys: from the configuration, or from a file with one key per line, of which the first encrypts.
 * Undefined when there is no file.
 */
export const findKeys = async (configured: string | undefined, path: string): Promise<Keys | undefined> => {
  if (configured !== undefined) return [toKey(configured)];
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!found) return undefined;
  if ((found.mode & 0o077) !== 0) throw new SecretError(`${path} can be read by others; run: chmod 600 ${path}`);
  const [first, ...others] = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(toKey);
  if (!first) throw new SecretError(`${path} holds no key`);
  return [first, ...others];
};

/** Creates the file with a first key, unless it exists. If the file is lost, so is every stored trading password. */
export const ensureKeyFile = async (path: string): Promise<Keys> => {
  await createKeyFile(path);
  const keys = await findKeys(undefined, path);
  if (!keys) throw new SecretError(`${path} was removed at once`);
  return keys;
};
