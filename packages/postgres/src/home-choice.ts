/**
 * Which folder has the database of a data directory when the server runs as root. PostgreSQL then runs under another
 * account.
 *
 * - If that account can enter the data directory, the home is `<dataDir>/postgres`.
 * - If not (a checkout under /root, mode 0700), the home is in `/var/lib/berth`, and `<dataDir>/postgres` is a link.
 *
 * The choice is made once, when there is no database. After that `<dataDir>/postgres` decides: a data directory that
 * was moved keeps its database. Where a database should be and is not, the start is refused: an empty one in its place
 * would be another instance. In a data directory that was emptied it begins anew, beside the earlier one. A link is made after the home that it names, so a link that leads nowhere is never the
 * trace of an interrupted start.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Account } from './account.ts';
import { POSTGRES_ENV } from './cluster.ts';
import { ensureFreshHome, findHomeOf, hasCluster, isHomeName, readOwner, SYSTEM_DIR } from './homes.ts';

export interface HomeChoice {
  home: string;
  /** Why the home is not in the data directory; undefined where it is. */
  reason: string | undefined;
  /** A database of the same data directory, from before that was emptied. */
  earlier?: string;
}

/** @param dataDir a real path @throws with remedies when a database is lost, or the account cannot enter it */
export const chooseRootHome = (dataDir: string, account: Account): HomeChoice => {
  // Searchable by everyone, whatever the umask: the account must be able to reach the programs and its own folders.
  mkdirSync(SYSTEM_DIR, { recursive: true });
  chmodSync(SYSTEM_DIR, 0o755);
  const place = join(dataDir, 'postgres');
  // In this order: a link that another server makes in between leads to the home that was found.
  const earlier = findHomeOf(dataDir);
  const found = findRootHome(place);
  const isLost = earlier !== undefined && earlier !== found && !(found !== undefined && hasCluster(found));
  if (isLost && !isEmpty(dataDir)) throw new Error(toUnlinkedText(dataDir, place, earlier));
  const closed = findClosedFolder(dataDir, account);
  if (found === place && closed !== undefined) throw new Error(toClosedText(place, closed, account));
  const before = isLost ? { earlier } : {};
  if (found === place || (found === undefined && closed === undefined))
    return { home: place, reason: undefined, ...before };
  if (found !== undefined && !hasCluster(found) && readOwner(found) === undefined)
    throw new Error(`${place} leads to ${found}, and no database is there. Is a disk not mounted?`);
  const home = found ?? linkFreshHome(dataDir, place);
  return { home, reason: closed === undefined ? 'it was made there' : toReason(closed, account), ...before };
};

/** The mark of a restoration into an empty folder: `apps/server/src/backup/unfinished.ts`. */
const RESTORATION = 'restore.unfinished';

const isEmpty = (dataDir: string): boolean => readdirSync(dataDir).every((name) => name === RESTORATION);

/** The home that `<dataDir>/postgres` is or leads to. @throws when it is not of a server that ran as root */
export const findRootHome = (place: string): string | undefined => {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return readHomeLink(place);
  if (stat.uid === 0) return place;
  throw new Error(
    `${place} holds a database made by an ordinary user (id ${stat.uid}), and this server runs as root. ` +
      'Run it as that user, or give it another folder with BERTH_DATA_DIR.',
  );
};

/** Root follows this link, so it may only lead to a folder of ours. */
const readHomeLink = (link: string): string => {
  const home = readlinkSync(link);
  if (dirname(home) === SYSTEM_DIR && isHomeName(basename(home))) return home;
  throw new Error(`${link} leads to ${home}, which is no database folder of Berth. Remove the link.`);
};

const linkFreshHome = (dataDir: string, link: string): string => {
  const home = ensureFreshHome(dataDir);
  try {
    symlinkSync(home, link);
    return home;
  } catch (error) {
    // Another server that starts in the same data directory was faster; the lock decides between the two.
    const other = findRootHome(link);
    if (other === undefined) throw error;
    return other;
  }
};

/** The first folder of a path that the account may not enter; undefined when it can enter them all. */
const findClosedFolder = (path: string, account: Account): string | undefined => {
  if (canEnter(path, account)) return undefined;
  const names = path.split(sep);
  const folders = names.map((_, index) => names.slice(0, index + 1).join(sep) || sep);
  return folders.find((folder) => !canEnter(folder, account)) ?? path;
};

/** Asked by trying: modes alone do not tell what access lists and the kinds of file systems allow. */
const canEnter = (folder: string, { uid, gid }: Account): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', env: POSTGRES_ENV, uid, gid, stdio: 'ignore' }).status ===
  0;

const toReason = (closed: string, { name }: Account): string =>
  `the account "${name}", which runs PostgreSQL, may not enter ${closed}`;

const toClosedText = (place: string, closed: string, account: Account): string =>
  `The database is in ${place}, but ${toReason(closed, account)}. Let it pass (chmod o+x ${closed}), ` +
  'or move the data directory to where it may.';

const toUnlinkedText = (dataDir: string, place: string, home: string): string =>
  `The database of ${dataDir} is in ${home}, but ${place} does not lead there. Is a disk not mounted? ` +
  `To use that database, put the link back: ln -s ${home} ${place} (if the folder was moved, start the server on it ` +
  'where it is now first). ' +
  `To begin with an empty one, choose another folder with BERTH_DATA_DIR, or put that one aside: mv ${home} ${home}.aside`;
