/**
 * The vault of this server, once it is known to have every key that the database needs. Two servers with different keys
 * would both work, and lose passwords between them: neither could decrypt what the other encrypted. So the database
 * records the ids of the keys in use, and a server that lacks one does not start.
 *
 * A key is needed while it encrypts (it is a server's first one), and after that for as long as a secret is encrypted
 * with it. The operator can declare a key lost: its secrets then stay encrypted, and no server needs it any more.
 */
import { join } from 'node:path';
import type { Database, Queryable } from '../db/database.ts';
import { ensureKeyFile, findKeys } from './key-file.ts';
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
