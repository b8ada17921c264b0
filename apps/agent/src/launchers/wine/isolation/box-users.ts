/**
 * Which box has which user of the system, as root. A box of its own user cannot touch its neighbours' files and processes
 * even where everything else that separates them has failed.
 *
 * INVARIANT: one user, one box, whichever agents of this machine share the folder. A claim is a file of the user's
 * number that holds the box's folder. It is written as a draft and then linked: the link is made whole or not at all, and
 * by one of those who try.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LauncherError } from '../../launcher.ts';
import { withLauncherErrors } from '../../process/launcher-errors.ts';

export interface BoxUsers {
  /** The user of the box whose folder this is; the same one as long as the box has it. `missing` when none is free. */
  claim(owner: string): Promise<number>;
  find(owner: string): Promise<number | undefined>;
  /** Gives it back. No process and no file of it is left. */
  release(owner: string): Promise<void>;
}

const NUMBER = /^\d+$/;
const DRAFT = /^\.[\da-f]{12}$/;
/** A claim takes milliseconds: an older draft was left by an agent that was killed. */
const DRAFT_MS = 60_000;
/** Longer than any path that the system takes. */
const MAX_PATH_BYTES = 4096;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Opens the register. A claim whose box's folder is gone was left by an agent that was killed; it is given to the next.
 * @param options.folder of root; made where it is missing
 */
export const createBoxUsers = ({ folder, first, last }: { folder: string; first: number; last: number }): BoxUsers => {
  const toPath = (uid: number) => join(folder, String(uid));

  const listClaims = async (): Promise<Map<number, string>> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => NUMBER.test(name));
    const claims = await Promise.all(
      names.map(async (name): Promise<[number, string]> => {
        const owner = await readFile(join(folder, name), 'utf8').catch(() => '');
        return [Number(name), owner.slice(0, MAX_PATH_BYTES)];
      }),
    );
    return new Map(claims.sort(([one], [other]) => one - other));
  };

  const find = async (owner: string): Promise<number | undefined> => {
    const own = [...(await listClaims())].find(([uid, claimant]) => claimant === owner && uid >= first && uid <= last);
    return own?.[0];
  };

  const claimOne = async (uid: number, draft: string): Promise<boolean> => {
    try {
      await link(draft, toPath(uid));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  };

  const sweepDrafts = async (): Promise<void> => {
    for (const name of (await readdir(folder)).filter((each) => DRAFT.test(each))) {
      const path = join(folder, name);
      const draft = await stat(path).catch(() => undefined);
      if (draft && Date.now() - draft.mtimeMs > DRAFT_MS) await rm(path, { force: true });
    }
  };

  const claimNew = async (owner: string): Promise<number> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sweepDrafts();
    const draft = join(folder, `.${randomBytes(6).toString('hex')}`);
    await writeFile(draft, owner, { flag: 'wx', mode: 0o600 });
    try {
      const claims = await listClaims();
      for (const [uid, claimant] of claims) {
        if (!(await exists(claimant))) await rm(toPath(uid), { force: true });
      }
      for (let uid = first; uid <= last; uid += 1) {
        if (await claimOne(uid, draft)) return uid;
      }
    } finally {
      await rm(draft, { force: true });
    }
    const text = `All users from ${first} to ${last} have a box. Give the agent a wider range of them.`;
    throw new LauncherError('missing', text);
  };

  let turn: Promise<unknown> = Promise.resolve();
  /** One at a time within this agent: two claims of one box would get two users. */
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = turn.then(act, act);
    turn = next.catch(() => undefined);
    return next;
  };

  return {
    find,
    claim: (owner) => inTurn(() => withLauncherErrors(async () => (await find(owner)) ?? claimNew(owner))),
    release: (owner) =>
      inTurn(async () => {
        const uid = await find(owner);
        if (uid !== undefined) await rm(toPath(uid), { force: true });
      }),
  };
};
