/**
 * The vault of this server, once it is known to have every key that the database needs. Two servers with different keys
 * would both work, and lose passwords between them: neither could decrypt what the other encrypted. So the database
 * records the ids of the keys in use, and a server that lacks one does not start.
 *
 * A key is needed while it encrypts (it is a server's first one), and after that for as long as a secret is encrypted
 * with it. The operator can declare a key lost: its secrets then stay encrypted, and no server needs it any more.
 */
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import type { Database, Queryable } from '../db/database.ts';
import {
  findUsedKeys,
  forgetSecretKeys,
  giveUpSecretKeys,
  listSecretKeys,
  lockSecretKeys,
  takeSecretKeys,
  type KnownKey,
} from './queries.ts';
import { SecretError, Vault } from './vault.ts';

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
const ensureKeyFile = async (path: string): Promise<Keys> => {
  await createKeyFile(path);
  const keys = await findKeys(undefined, path);
  if (!keys) throw new SecretError(`${path} was removed at once`);
  return keys;
};

export interface VaultOptions {
  dataDir: string;
  /** The one key of the configuration; unset: those of the file in the data directory. */
  secretKey: string | undefined;
  /** Ids of keys that the operator declares lost. */
  lostKeys: readonly string[];
}

const toList = (ids: readonly string[]): string => ids.join(', ');

const toRefusal = (missing: readonly string[], place: string): SecretError =>
  new SecretError(
    `the secrets in the database are sealed under a key that this server does not have (key id: ${toList(missing)}). ` +
      `Give it that key: ${place}. Only when no copy is left, neither on another server nor in a backup: ` +
      `BERTH_LOST_KEYS=${missing.join(',')} starts without it, and terminals whose passwords are lost with it need them again.`,
  );

const toPlace = (path: string, secretKey: string | undefined): string =>
  secretKey === undefined
    ? `as a line of ${path} (it is in every backup, and on every other server), or in BERTH_SECRET_KEY`
    : `in BERTH_SECRET_KEY, or unset that and put all keys into ${path}, one per line`;

const isMissing =
  (ids: readonly string[], lost: readonly string[]) =>
  ({ id, role }: KnownKey): boolean =>
    role !== 'lost' && !ids.includes(id) && !lost.includes(id);

/** @returns the ids of the keys that are needed and missing; then nothing was changed */
const takeKeys = async (tx: Queryable, ids: readonly [string, ...string[]], lost: readonly string[]) => {
  const [sealing, ...opening] = ids;
  await lockSecretKeys(tx);
  const missing = (await listSecretKeys(tx)).filter(isMissing(ids, lost));
  const retired = missing.filter(({ role }) => role === 'opening').map(({ id }) => id);
  const used = retired.length > 0 ? await findUsedKeys(tx, retired) : [];
  const needed = missing.filter(({ id, role }) => role === 'sealing' || used.includes(id)).map(({ id }) => id);
  if (needed.length > 0) return needed;
  await forgetSecretKeys(tx, retired);
  await giveUpSecretKeys(tx, lost);
  await takeSecretKeys(tx, { sealing, opening });
  return [];
};

/**
 * Reads the keys, or creates the first one of an instance, and compares them with those that the database records.
 * @throws SecretError that names the missing key by its id, and says what to do
 */
export const openVault = async (db: Database, { dataDir, secretKey, lostKeys }: VaultOptions): Promise<Vault> => {
  const path = join(dataDir, 'secret.key');
  const place = toPlace(path, secretKey);
  let keys = await findKeys(secretKey, path);
  if (keys === undefined) {
    // Created only where nothing is encrypted: a new key in place of a mislaid one would hide the mistake.
    const known = (await listSecretKeys(db)).filter(isMissing([], lostKeys)).map(({ id }) => id);
    keys = await findKeys(secretKey, path);
    if (keys === undefined && known.length > 0) throw toRefusal(known, place);
    keys ??= await ensureKeyFile(path);
  }
  const vault = new Vault(keys);
  const misnamed = lostKeys.filter((id) => vault.keyIds.includes(id));
  if (misnamed.length > 0)
    throw new SecretError(`BERTH_LOST_KEYS names a key that this server has: ${toList(misnamed)}`);
  const needed = await db.transaction((tx) => takeKeys(tx, vault.keyIds, lostKeys));
  if (needed.length > 0) throw toRefusal(needed, place);
  return vault;
};
