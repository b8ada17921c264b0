/** The documented commands for backups, on living and stopped instances; what was restored works as before. */
import { spawnSync } from 'node:child_process';
import { TaskStatus } from '@berth/contract';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createTestDatabase,
  farAhead,
  startTestStack,
  waitFor,
  withClient,
  type TestAccount,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser, type EndedTask } from '../e2e/terminal-user.ts';
import { readTables } from './tables.ts';

const TIMEOUT_MS = 600_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SIZE = { width: 320, height: 240 };
const EXPERT = Buffer.from('an expert adviser\0\n\\N\t', 'latin1');

let folder: string;
let file: string;
let restored: string;
let stack: TestStack;
let account: TestAccount;
let user: TerminalUser;
let terminalId: string;
let expert: { id: string };
let screenshot: EndedTask;
let demo: EndedTask;
let plannedId: string;
let hosts: string[];

const run = (command: 'backup' | 'restore', target: string, environment: Record<string, string>) => {
  const { PATH = '', TMPDIR } = process.env;
  // There may also be warnings about databases that others left on this machine, whose data directories are gone.
  const env = { PATH, BERTH_LOG_LEVEL: 'error', ...(TMPDIR === undefined ? {} : { TMPDIR }), ...environment };
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'script', command), [target], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
};

const listHosts = async (): Promise<string[]> => {
  const { rows } = await withClient(stack.databaseUrl, (client) =>
    client.query<{ id: string }>('select id from hosts'),
  );
  return rows.map(({ id }) => id).sort();
};

/** A database without a table, as `createdb` makes it. */
const createEmptyDatabase = async () => {
  const database = await createTestDatabase();
  await withClient(database.url, (client) => client.query('drop schema public cascade; create schema public'));
  return database;
};

/** Links to files are made for the address of the request. */
const toAnswer = (task: EndedTask): string => JSON.stringify(task).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-backup-'));
  file = join(folder, 'berth.backup');
  restored = join(folder, 'restored');
  stack = await startTestStack({ isEmbedded: true });
  account = await stack.register('Careful');
  user = new TerminalUser(stack.url, account.token);
  const input = { server_name: 'Harbour-Demo', login: '6001', password: 'pass-6001', region: 0 };
  terminalId = (await user.createTerminal(input)).id;
  await user.waitForStatus(terminalId, 'ACTIVE');
  expert = await user.upload('Harbour.ex5', EXPERT);
  screenshot = await user.run(terminalId, 'SCREENSHOT', SIZE);
  const form = { server_name: 'Quay-Demo', name: 'Ada Lovelace', email: 'ada@example.com' };
  demo = await user.run(terminalId, 'ACCOUNT_OPEN_DEMO', form);
  const later = { plannedAt: farAhead };
  plannedId = (await user.berth.tasks.create(terminalId, 'SCREENSHOT', SIZE, later)).id;
  hosts = await listHosts();
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

describe('a backup', { timeout: TIMEOUT_MS }, () => {
  it('a backup is written while everything runs, for its owner alone, and leaves nothing beside it', async () => {
    const taskId = await user.createTask(terminalId, 'SCREENSHOT', SIZE);
    expect(run('backup', file, { BERTH_DATA_DIR: stack.dataDir })).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['berth.backup']);
    expect(await user.waitForEnd(terminalId, taskId)).toMatchObject({ status: TaskStatus.COMPLETED });
  });

  it('overwrites nothing, and says so', () => {
    const before = readFileSync(file);
    const { status, stderr } = run('backup', file, { BERTH_DATA_DIR: stack.dataDir });
    expect([status, stderr]).toEqual([1, `berth: ${file} exists already; a backup overwrites nothing\n`]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('a backup of a place without a database is refused, and leaves nothing', () => {
    const { status, stderr } = run('backup', join(folder, 'none'), { BERTH_DATA_DIR: join(folder, 'nowhere') });
    expect([status, existsSync(join(folder, 'none'))]).toEqual([1, false]);
    expect(stderr).toContain('there is no database in');
    expect(readdirSync(folder)).toEqual(['berth.backup']);
  });
});

describe('a restoration', { timeout: TIMEOUT_MS }, () => {
  it('into a folder that holds something, or from what is no backup, is refused and changes nothing', () => {
    mkdirSync(restored);
    writeFileSync(join(restored, 'mine'), 'mine');
    expect(run('restore', file, { BERTH_DATA_DIR: restored })).toMatchObject({ status: 1, stdout: '' });
    expect(readdirSync(restored)).toEqual(['mine']);
    rmSync(join(restored, 'mine'));
    const other = join(folder, 'other');
    writeFileSync(other, 'this is no backup');
    expect(run('restore', other, { BERTH_DATA_DIR: restored })).toMatchObject({ status: 1, stdout: '' });
    expect(readdirSync(restored)).toEqual([]);
    rmSync(other);
  });

  it('a restoration makes a new data directory with the keys, readable for nobody else', () => {
    chmodSync(restored, 0o700);
    expect(run('restore', file, { BERTH_DATA_DIR: restored })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(restored).sort()).toEqual(['agent', 'postgres', 'sandbox', 'secret.key']);
    expect(statSync(join(restored, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(restored, 'secret.key'))).toEqual(readFileSync(join(stack.dataDir, 'secret.key')));
  });

  it('a restoration of an embedded instance goes into a database of one’s own, from which a backup can be made again', async () => {
    const [one, two] = [await createEmptyDatabase(), await createEmptyDatabase()];
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const again = join(folder, 'again.backup');
    const settings = (dataDir: string, url: string) => ({ BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: url });
    expect(run('restore', file, settings(first, one.url))).toMatchObject({ status: 0, stderr: '' });
    expect(run('restore', file, settings(second, one.url)).stderr).toContain('the database is not empty');
    expect(existsSync(second) && readdirSync(second)).toEqual([]);
    expect(run('backup', again, settings(first, one.url))).toMatchObject({ status: 0, stderr: '' });
    expect(run('restore', again, settings(second, two.url))).toMatchObject({ status: 0, stderr: '' });
    const { migrations: _, ...before } = await readTables(one.url);
    expect(await readTables(two.url)).toMatchObject(before);
    expect(Object.values(before).filter((hash) => !hash.startsWith('0 ')).length).toBeGreaterThan(10);
    await Promise.all([one.close(), two.close()]);
  });
});

describe('what was restored', { timeout: TIMEOUT_MS }, () => {
  beforeAll(async () => {
    // The original and its copy must never run together: both would trade.
    await stack.close();
    stack = await startTestStack({ isEmbedded: true, dataDir: restored });
    user = new TerminalUser(stack.url, account.token);
  }, TIMEOUT_MS);

  it('what was restored knows the passwords, the tokens, the tasks with their screenshots, and the files', async () => {
    const { email, password } = account.user;
    expect((await user.berth.auth.login({ email, password })).user).toMatchObject({ email });
    for (const task of [screenshot, demo])
      expect(toAnswer(await user.getTask(terminalId, task.id))).toEqual(toAnswer(task));
    expect(await user.getTask(terminalId, plannedId)).toMatchObject({ status: TaskStatus.PENDING, attempts: 0 });
    const { file: shot } = screenshot.data as { file: { url: string; sha256: string } };
    expect((await user.download(shot.url)).subarray(1, 4).toString()).toBe('PNG');
    expect(await user.download(`http://x/v1/my/files/${expert.id}/content`)).toEqual(EXPERT);
  });

  it('what was restored has the same hosts, which came back with their credentials', async () => {
    await stack.waitForHosts();
    expect(await listHosts()).toEqual(hosts);
  });

  it('what was restored goes on with its terminals, in their new folder, and opens their sealed passwords', async () => {
    const { login } = await waitFor(
      async () => {
        const terminal = await user.getTerminal(terminalId);
        return terminal.status_name === 'ACTIVE' && terminal.path?.startsWith(stack.dataDir) && terminal;
      },
      { what: 'the terminal in its new folder' },
    );
    expect(login).toBe(demo.data.login);
    await user.run(terminalId, 'ACCOUNT_LOGOUT', { forget_password: 0 });
    const task = await user.run(terminalId, 'ACCOUNT_LOGIN');
    expect(task.data).toMatchObject({ login: demo.data.login, connected: true });
    const expertOf = { name: 'Harbour', file_id: expert.id, symbol: 'EURUSD', period: 'H1' };
    await user.run(terminalId, 'EA_INSTALL', expertOf);
    await user.run(terminalId, 'SCREENSHOT', SIZE);
    expect(stack.processes('terminal').map(({ folder: home }) => home.startsWith(stack.dataDir))).toEqual([true]);
  });

  it('what was restored gives out no number a second time', async () => {
    const { token } = await user.berth.account.tokens.create({ name: 'new' });
    expect(Number(token.split('|')[0])).toBeGreaterThan(Number(account.token.split('|')[0]));
  });

  it('what was restored can be backed up while it is stopped, too', async () => {
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    const stopped = join(folder, 'stopped.backup');
    expect(run('backup', stopped, { BERTH_DATA_DIR: stack.dataDir })).toMatchObject({ status: 0, stderr: '' });
    expect(stack.processes()).toEqual([]);
    await stack.restart();
    await user.run(terminalId, 'SCREENSHOT', SIZE);
  });
});
