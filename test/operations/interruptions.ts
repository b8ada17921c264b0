/** Backups and restorations that are killed or stopped half way: what is left behind is never taken for an instance. Declares tests. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import {
  createTestDatabase,
  endProcesses,
  listStackProcesses,
  startTestStack,
  waitFor,
  withClient,
  type TestDatabase,
  type TestStack,
  type TestUser,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runProgram, startProgram } from './commands.ts';

export const TIMEOUT_MS = 600_000;
const BIG = Buffer.alloc(24 * 1024 * 1024, 'so that a copy takes a moment ');

let folder: string;
let file: string;
let stopped: string;
let user: TestUser;
let place: string;
const databases: TestDatabase[] = [];

const logIn = ({ url }: TestStack) => {
  const { email, password } = user;
  return new Berth({ baseUrl: url }).auth.login({ email, password });
};

const startOn = (dataDir: string) => startTestStack({ isEmbedded: true, hasLocalHosts: false, dataDir });

/** As root, PostgreSQL keeps its files elsewhere, and removing a data directory leaves them. */
const discard = async (dataDir: string): Promise<void> => {
  if (!existsSync(dataDir)) return;
  const stack = await startOn(dataDir);
  await stack.close();
};

const createEmptyDatabase = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  await withClient(database.url, (client) => client.query('drop schema public cascade; create schema public'));
  databases.push(database);
  return database;
};

const countTables = async (url: string): Promise<number> => {
  const text = `select count(*)::int as total from pg_tables where schemaname = 'public'`;
  const { rows } = await withClient(url, (client) => client.query<{ total: number }>(text));
  return rows[0]!.total;
};

const isCopying = (url: string) => async () => {
  const text = `select 1 from pg_stat_activity where datname = current_database() and query like 'copy %'`;
  return (await withClient(url, (client) => client.query(text))).rowCount;
};

/** Makes an instance with a backup of it, which has a file that takes a moment; once for the tests of a file. */
export const useBackup = (): void => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-interrupted-'));
    file = join(folder, 'berth.backup');
    const stack = await startOn(mkdtempSync(join(folder, 'original-')));
    const account = await stack.register('Careful');
    user = account.user;
    await account.berth.files.upload('big.bin', BIG);
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    stopped = stack.dataDir;
    const made = await runProgram('backup-main', { BERTH_DATA_DIR: stopped }, file);
    expect(made).toMatchObject({ code: 0 });
  }, TIMEOUT_MS);

  afterEach(async () => {
    await endProcesses();
  });

  afterAll(async () => {
    await discard(stopped);
    for (const database of databases) await database.close();
    rmSync(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);
};

/** The moments of a restoration, by what can be seen of each from outside. */
const hasComeTo = {
  'has begun': (dataDir: string) => existsSync(join(dataDir, 'restore.unfinished')),
  'has the key': (dataDir: string) => existsSync(join(dataDir, 'secret.key')),
  'runs PostgreSQL': (dataDir: string) => listStackProcesses(dataDir, 'PostgreSQL').length > 3,
};
export type Moment = keyof typeof hasComeTo;
export type End = 'SIGKILL' | 'SIGTERM';

/** Restorations that are killed when they have come so far. */
export const testKilledRestorations = (...moments: Moment[]): void => {
  it.each(moments)(
    'that is killed when it %s leaves a folder that the server refuses, and is begun anew',
    async (moment) => {
      place = join(mkdtempSync(join(folder, 'killed-')), 'data');
      const environment = { BERTH_DATA_DIR: place, BERTH_PORT: '0', BERTH_LOCAL_AGENT: 'off' };
      const restoration = startProgram('restore-main', environment, file);
      await waitFor(() => hasComeTo[moment](place), { what: 'the moment' });
      restoration.kill('SIGKILL');
      await restoration.ended;
      const refused = await runProgram('main', environment);
      expect(refused.code).toBe(1);
      expect(refused.output).toContain('was interrupted');
      expect(refused.output).toContain('script/restore');
      expect(refused.output).not.toContain('Password');
      const other = await runProgram('backup-main', environment, join(folder, 'none'));
      expect(other).toMatchObject({ code: 1, output: expect.stringContaining('was interrupted') as string });
      expect(await runProgram('restore-main', environment, file)).toMatchObject({ code: 0 });
      expect(readdirSync(place).sort()).toEqual(['postgres', 'secret.key']);
      const stack = await startOn(place);
      expect((await logIn(stack)).user).toMatchObject({ email: user.email });
      await stack.close();
    },
  );
};

/** Restores that are asked to stop when they have reached this point. */
export const testStoppedRestorations = (...moments: Moment[]): void => {
  it.each(moments)('that is stopped when it %s leaves nothing behind, no process either', async (moment) => {
    place = join(mkdtempSync(join(folder, 'stopped-')), 'data');
    const restoration = startProgram('restore-main', { BERTH_DATA_DIR: place }, file);
    await waitFor(() => hasComeTo[moment](place), { what: 'the moment' });
    restoration.kill('SIGTERM');
    expect(await restoration.ended).toMatchObject({ code: 143 });
    expect(restoration.output).toContain('interrupted by SIGTERM');
    expect(readdirSync(place)).toEqual([]);
    expect(listStackProcesses(place)).toEqual([]);
  });
};

/** Restorations into a database of one’s own that end in the middle of the copying. */
export const testRestorationsIntoDatabase = (...signals: End[]): void => {
  it.each(signals)('into a database of one’s own fills it as a whole or, at %s, not at all', async (signal) => {
    const { url } = await createEmptyDatabase();
    place = join(mkdtempSync(join(folder, 'own-')), 'data');
    const environment = { BERTH_DATA_DIR: place, BERTH_DATABASE_URL: url, BERTH_PORT: '0' };
    const restoration = startProgram('restore-main', environment, file);
    await waitFor(isCopying(url), { what: 'the copying' });
    restoration.kill(signal);
    await restoration.ended;
    await waitFor(async () => !(await isCopying(url)()), { what: 'the end of the copying' });
    expect(await countTables(url)).toBe(0);
    expect(await runProgram('restore-main', environment, file)).toMatchObject({ code: 0 });
    const stack = await startTestStack({ hasLocalHosts: false, dataDir: place, environment });
    expect((await logIn(stack)).user).toMatchObject({ email: user.email });
    await stack.close();
  });
};

/** A restoration into a folder that another one is at work on. */
export const testSecondRestoration = (): void => {
  it('that another one is at work on is refused, and the first one goes on', async () => {
    place = join(mkdtempSync(join(folder, 'twice-')), 'data');
    const first = startProgram('restore-main', { BERTH_DATA_DIR: place }, file);
    await waitFor(() => existsSync(join(place, 'restore.unfinished/draft')), { what: 'the first restoration' });
    const second = await runProgram('restore-main', { BERTH_DATA_DIR: place }, file);
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining('in use') as string });
    expect(await first.ended).toMatchObject({ code: 0 });
    await discard(place);
  });
};

/** A restoration into a folder that got something of somebody else’s meanwhile. */
export const testForeignFolder = (): void => {
  it('never clears what is not its own', async () => {
    place = join(mkdtempSync(join(folder, 'mine-')), 'data');
    const restoration = startProgram('restore-main', { BERTH_DATA_DIR: place }, file);
    await waitFor(() => existsSync(join(place, 'restore.unfinished')), { what: 'the mark' });
    restoration.kill('SIGKILL');
    await restoration.ended;
    const mine = mkdtempSync(join(place, 'mine-'));
    const again = await runProgram('restore-main', { BERTH_DATA_DIR: place }, file);
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining('is not empty') as string });
    expect(existsSync(mine)).toBe(true);
  });
};

/** Backups that end when they have written the first tables. */
export const testBackups = (...signals: End[]): void => {
  it.each(signals)('that ends by %s leaves no file of its name', async (signal) => {
    const target = mkdtempSync(join(folder, 'target-'));
    const backup = startProgram('backup-main', { BERTH_DATA_DIR: stopped }, join(target, 'berth.backup'));
    const isWriting = () =>
      readdirSync(target).some((name) => existsSync(join(target, name, 'database', 'files.copy')));
    await waitFor(isWriting, { what: 'the first tables' });
    backup.kill(signal);
    const { code } = await backup.ended;
    if (signal === 'SIGTERM') {
      expect([code, readdirSync(target)]).toEqual([143, []]);
      expect(listStackProcesses(stopped)).toEqual([]);
    }
    expect(readdirSync(target)).not.toContain('berth.backup');
    const again = await runProgram('backup-main', { BERTH_DATA_DIR: stopped }, join(target, 'berth.backup'));
    expect(again).toMatchObject({ code: 0 });
  });
};
