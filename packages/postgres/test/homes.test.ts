// @module-tag root
/** Where the database of a server that runs as root lies, and that a start never takes an empty one for it. */
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { chownSync, realpathSync, symlinkSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@berth/kit';
import { withClient } from '@berth/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureAccount, type Account } from '../src/account.ts';
import { ensureDataDir } from '../src/data-dir.ts';
import { discardEmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded-postgres.ts';
import { noteOwner, SYSTEM_DIR, toHash } from '../src/homes.ts';
import { ensureLayout, type EmbeddedLayout } from '../src/layout.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let account: Account;
/** Open to everyone; what is below it need not be. */
let folder: string;
let dataDir: string;
const homes = new Set<string>();

beforeEach(async () => {
  account = await ensureAccount();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-homes-')));
  dataDir = join(folder, 'above', 'data');
  chmodSync(folder, 0o755);
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
});

afterEach(() => {
  for (const path of [...homes, folder]) rmSync(path, { recursive: true, force: true });
  homes.clear();
});

const close = (): void => chmodSync(join(folder, 'above'), 0o700);
const open = (): void => chmodSync(join(folder, 'above'), 0o755);

const lay = (directory = dataDir): EmbeddedLayout => {
  const layout = ensureLayout({ dataDir: directory, account, log });
  homes.add(layout.home);
  return layout;
};

/** As a first start does, without the minute of a real one. */
const create = (directory = dataDir): EmbeddedLayout => {
  const layout = lay(directory);
  mkdirSync(layout.clusterDir);
  return layout;
};

test('a new database of a server that runs as root lies in the data directory where the account of PostgreSQL can enter it', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, log, durable: false });
  const { rows } = await withClient(postgres.url, (client) => client.query('select 7 as value'));
  await postgres.stop();
  expect([rows, postgres.home, postgres.reason]).toEqual([[{ value: 7 }], join(dataDir, 'postgres'), undefined]);
  expect(statSync(join(dataDir, 'postgres/cluster')).uid).toBe(account.uid);
});

test('a new database of a server that runs as root lies in /var/lib/berth where a folder above is closed, and the reason names that folder', async () => {
  close();
  const postgres = await startEmbeddedPostgres({ dataDir, log, durable: false });
  await postgres.stop();
  homes.add(postgres.home);
  expect(postgres.home).toBe(join(SYSTEM_DIR, toHash(dataDir)));
  expect(readlinkSync(join(dataDir, 'postgres'))).toBe(postgres.home);
  expect(postgres.reason).toContain(`may not enter ${join(folder, 'above')}`);
});

test('a new database of a server that runs as root lies in the data directory that a start made, which nobody else may list', async () => {
  const made = join(folder, 'new', 'data');
  await ensureDataDir(made);
  expect(lay(made).reason).toBeUndefined();
  expect([statSync(made).mode & 0o777, statSync(made).gid]).toEqual([0o710, account.gid]);
});

test('a new database of a server that runs as root does not open a folder that a person closed', async () => {
  chmodSync(dataDir, 0o700);
  await ensureDataDir(dataDir);
  expect(lay().reason).toContain(dataDir);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test('a new database of a server that runs as root takes the folder that an interrupted start made before its link', () => {
  close();
  const home = join(SYSTEM_DIR, toHash(dataDir));
  mkdirSync(home);
  noteOwner(home, dataDir);
  expect(lay().home).toBe(home);
});

test('a new database of a server that runs as root takes the folder that an interrupted start made in the data directory', () => {
  mkdirSync(join(dataDir, 'postgres'));
  expect(lay().home).toBe(join(dataDir, 'postgres'));
});

test('a new database of a server that runs as root does not share a folder with the database of a data directory that was moved away', () => {
  close();
  const first = create();
  renameSync(dataDir, `${dataDir}-moved`);
  expect(lay(`${dataDir}-moved`).home).toBe(first.home);
  mkdirSync(dataDir);
  expect(lay().home).toBe(`${first.home}-2`);
});

test('a database that is there stays in /var/lib/berth when the folders are opened later', () => {
  close();
  const { home } = create();
  open();
  expect(lay()).toMatchObject({ home, reason: 'it was made there' });
});

test('a database that is there moves with its data directory', () => {
  create();
  renameSync(dataDir, join(folder, 'moved'));
  expect(lay(join(folder, 'moved'))).toMatchObject({ home: join(folder, 'moved', 'postgres'), reason: undefined });
});

test('a database that is there refuses a start when a folder above was closed, names the remedy, and works again when it is open', () => {
  const { home } = create();
  close();
  expect(lay).toThrow(`chmod o+x ${join(folder, 'above')}`);
  expect(lstatSync(join(dataDir, 'postgres')).isDirectory()).toBe(true);
  open();
  expect(lay().home).toBe(home);
});

test('a database that is there is not replaced by an empty one when its link is gone, wherever a new one would lie', () => {
  close();
  const { home } = create();
  writeFileSync(join(dataDir, 'secret.key'), 'key');
  rmSync(join(dataDir, 'postgres'));
  expect(lay).toThrow(`ln -s ${home} ${join(dataDir, 'postgres')}`);
  open();
  expect(lay).toThrow(/Is a disk not mounted\?/);
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  symlinkSync(home, join(dataDir, 'postgres'));
  expect(lay().home).toBe(home);
});

test.each([
  ['closed', close],
  ['open', open],
])(
  'a database that is there is kept beside a new one, also of a restoration, when its data directory was emptied (above: %s)',
  (_, change) => {
    close();
    const { home, clusterDir } = create();
    rmSync(join(dataDir, 'postgres'));
    mkdirSync(join(dataDir, 'restore.unfinished'));
    change();
    const fresh = create();
    expect([fresh.home === home, fresh.earlier]).toEqual([false, home]);
    expect(existsSync(clusterDir)).toBe(true);
    expect(lay()).toMatchObject({ home: fresh.home });
    expect(lay().earlier).toBeUndefined();
  },
);

test('a database that is there is not replaced by an empty one when its folder is gone', () => {
  close();
  const { home } = create();
  rmSync(home, { recursive: true });
  expect(lay).toThrow(`leads to ${home}, and no database is there`);
  expect(existsSync(home)).toBe(false);
});

test('a database that is there is not replaced by an empty one when a move into the data directory was interrupted', () => {
  close();
  const { home } = create();
  open();
  rmSync(join(dataDir, 'postgres'));
  mkdirSync(join(dataDir, 'postgres'));
  expect(lay).toThrow(home);
});

test('a database that is there gives way to a new one when a person puts it aside', () => {
  close();
  const { home } = create();
  rmSync(join(dataDir, 'postgres'));
  renameSync(home, `${home}.aside`);
  homes.add(`${home}.aside`);
  expect(lay().home).toBe(home);
  expect(existsSync(join(`${home}.aside`, 'cluster'))).toBe(true);
});

test('a database that is there of an ordinary user is refused to root', () => {
  mkdirSync(join(dataDir, 'postgres'));
  chownSync(join(dataDir, 'postgres'), account.uid, account.gid);
  expect(lay).toThrow('made by an ordinary user');
});

test('a database that is there of one data directory is not that of another', () => {
  close();
  const other = join(folder, 'above', 'other');
  mkdirSync(other);
  expect(create(other).home).not.toBe(create().home);
});

test.each(['closed', 'open'])(
  'a database that is discarded is gone with its place, also after an interrupted removal (%s)',
  async (way) => {
    if (way === 'closed') close();
    const { home, place } = create();
    await discardEmbeddedPostgres({ dataDir, log });
    expect([home, place].filter((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([]);
    symlinkSync(join(SYSTEM_DIR, toHash(dataDir)), place);
    await discardEmbeddedPostgres({ dataDir, log });
    expect([home, place].filter((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([]);
  },
);
