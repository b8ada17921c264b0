/**
 * Which box has which user of the system, when the agent is root. With a user of its own, a box cannot touch its
 * neighbours' files and processes even if every other isolation has failed.
 *
 * INVARIANT: each user belongs to one box, and each box has one user, whichever agents of this machine share the
 * folder. A claim is a file named after the user's number that contains the box's folder. Claims are made and released
 * under one lock; a file appears whole or not at all, so that reading needs none.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cutText } from '@berth/contract/values';
import { LauncherError } from '../../launcher.ts';
import { withLauncherErrors } from '../../process/launcher-errors.ts';
import { withFileLock } from '../file-lock.ts';

export interface BoxUsers {
  /** The user of the box with this folder; the same one as long as the box has it. `missing` when none is free. */
  claim(owner: string): Promise<number>;
  find(owner: string): Promise<number | undefined>;
  /** Releases it. No process and no file of it is left. */
  release(owner: string): Promise<void>;
}

const NUMBER = /^\d+$/;
/** Longer than any path that the system accepts. */
const MAX_PATH_BYTES = 4096;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Opens the register. A claim whose box folder is gone was left by a killed agent; it is reused.
 * @param options.folder owned by root; created if missing
 */
export const createBoxUsers = ({ folder, first, last }: { folder: string; first: number; last: number }): BoxUsers => {
  const toPath = (uid: number) => join(folder, String(uid));
  const draft = join(folder, '.draft');

  const listClaims = async (): Promise<Map<number, string>> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => NUMBER.test(name));
    const claims = await Promise.all(
      names.map(async (name): Promise<[number, string]> => {
        const owner = await readFile(join(folder, name), 'utf8').catch(() => '');
        return [Number(name), cutText(owner, MAX_PATH_BYTES)];
      }),
    );
    return new Map(claims.sort(([one], [other]) => one - other));
  };

  const find = async (owner: string): Promise<number | undefined> => {
    const own = [...(await listClaims())].find(([uid, claimant]) => claimant === owner && uid >= first && uid <= last);
    return own?.[0];
  };

  const claimNew = async (owner: string): Promise<number> => {
    const taken = new Set<number>();
    for (const [uid, claimant] of await listClaims()) {
      if (await exists(claimant)) taken.add(uid);
      else await rm(toPath(uid), { force: true });
    }
    for (let uid = first; uid <= last; uid += 1) {
      if (taken.has(uid)) continue;
      await writeFile(draft, owner, { mode: 0o600 });
      await rename(draft, toPath(uid));
      return uid;
    }
    const text = `All users from ${first} to ${last} have a box. Give the agent a wider range of them.`;
    throw new LauncherError('missing', text);
  };

  const alone = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return withFileLock(join(folder, '.lock'), act);
  };

  return {
    find,
    claim: (owner) =>
      withLauncherErrors(async () => (await find(owner)) ?? alone(async () => (await find(owner)) ?? claimNew(owner))),
    release: async (owner) => {
      if ((await find(owner)) === undefined) return;
      await alone(async () => {
        const uid = await find(owner);
        if (uid !== undefined) await rm(toPath(uid), { force: true });
      });
    },
  };
};
