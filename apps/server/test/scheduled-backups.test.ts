/** Backups by a schedule: when one is made and by whom, what stays in the folder, and who learns of a failure. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@berth/kit';
import { useTestServer } from '@berth/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ScheduledBackups } from '../src/backup/scheduled.ts';

const server = useTestServer();
const run = promisify(execFile);
let home: string;
let folder: string;
let operator: { token: string };
let made = 0;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-scheduled-'));
  operator = await server.registerOperator();
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  folder = join(home, `folder-${(made += 1)}`);
  await server.query('delete from scheduled_backup');
  await server.query('delete from notifications');
});

/** What a server with a folder does; each is a server of its own. */
const start = (changes: object = {}, stopping = new AbortController().signal) => {
  const backup = { folder, cron: '0 3 * * *', time_zone: 'UTC', keep: 2, ...changes };
  const { db, log } = server.services;
  const config = { ...server.services.config, dataDir: server.dataDir, databaseUrl: server.databaseUrl, backup };
  const parts = { db, log: { ...log, error: () => undefined } as never, clock: systemClock, stopping };
  return new ScheduledBackups({ ...parts, config, toDatabaseUrl: () => server.databaseUrl });
};
const makeDue = () => server.query(`update scheduled_backup set due_at = now() - interval '1 hour'`);
const readState = async () => (await server.query('select * from scheduled_backup'))[0]!;
const listNotified = async () => {
  const { body } = await server.request('GET', '/v1/my/account/notifications', { token: operator.token });
  return (body.data as { type: string }[]).map(({ type }) => type.replace('App\\Notifications\\', ''));
};
/** A server with a backup that is due. */
const startDue = async (changes: object = {}) => {
  const backups = start(changes);
  await backups.takeTurn();
  await makeDue();
  return backups;
};

it('a backup is made when its time has come, once, and says how large it is', async () => {
  const backups = start();
  await backups.takeTurn();
  expect(await readState()).toMatchObject({ last_started_at: null, error: null });
  await makeDue();
  await backups.takeTurn();
  await backups.takeTurn();
  const [name = '', ...others] = await readdir(folder);
  expect([name, others]).toEqual([expect.stringMatching(/^berth-.*Z\.tar\.gz$/), []]);
  const { size, mode } = await stat(join(folder, name));
  const state = await readState();
  expect(state).toMatchObject({ file: name, size_bytes: expect.anything(), error: null, lease_id: null });
  expect([Number(state.size_bytes), mode & 0o777]).toEqual([size, 0o600]);
  expect((state.due_at as Date).getTime()).toBeGreaterThan(Date.now());
});

it('a time that was missed while no server was up is made up for by one backup', async () => {
  await start().takeTurn();
  await server.query(`update scheduled_backup set due_at = now() - interval '5 days'`);
  const next = start();
  await next.takeTurn();
  await next.takeTurn();
  expect(await readdir(folder)).toHaveLength(1);
});

it('one of several servers makes a backup that is due', async () => {
  await startDue();
  await Promise.all([start(), start(), start()].map((each) => each.takeTurn()));
  expect(await readdir(folder)).toHaveLength(1);
  expect(await readState()).toMatchObject({ error: null });
});

it('the newest are kept, the oldest go, and files with other names stay', async () => {
  await mkdir(folder);
  const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `berth-${day}T03-00-00Z.tar.gz`);
  for (const name of [...old, 'berth-mine.tar.gz', 'notes.txt']) await writeFile(join(folder, name), '');
  await (await startDue()).takeTurn();
  const { file } = await readState();
  expect((await readdir(folder)).sort()).toEqual([old[2], file, 'berth-mine.tar.gz', 'notes.txt'].sort());
});

it('a backup that a killed server has left is removed and made anew once its lease is over', async () => {
  const backups = await startDue();
  const id = '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';
  await mkdir(join(folder, `.unfinished-${id}`), { recursive: true });
  await writeFile(join(folder, `.unfinished-${id}`, 'backup.tar.gz'), 'half');
  await server.query(
    `update scheduled_backup set lease_id = $1, lease_until = now() + interval '1 minute', attempts = 1`,
    [id],
  );
  await backups.takeTurn();
  expect(await readdir(folder)).toEqual([`.unfinished-${id}`]);
  await server.query(`update scheduled_backup set lease_until = now() - interval '1 second'`);
  await backups.takeTurn();
  expect(await readdir(folder)).toEqual([(await readState()).file]);
});

it('a server that dies of each attempt gives up after three, and operators learn of it', async () => {
  const backups = await startDue();
  await server.query(
    `update scheduled_backup set lease_id = gen_random_uuid(), lease_until = now() - interval '1 second', attempts = 3`,
  );
  await backups.takeTurn();
  expect(await readState()).toMatchObject({ error: expect.stringContaining('3 attempts'), lease_id: null });
  expect(await listNotified()).toEqual(['BackupFailed']);
});

it('a server that stops in the middle leaves nothing, and the backup is still due', async () => {
  await startDue();
  const stop = new AbortController();
  const stopping = start({}, stop.signal).takeTurn();
  await expect.poll(() => readdir(folder).catch(() => [])).not.toEqual([]);
  stop.abort();
  await stopping;
  expect(await readdir(folder)).toEqual([]);
  expect(await readState()).toMatchObject({ lease_id: null, error: null, last_succeeded_at: null });
  await start().takeTurn();
  expect(await readdir(folder)).toHaveLength(1);
});

it('a folder that cannot be written fails the backup, each operator gets a notification, and the next time is tried', async () => {
  await writeFile(folder, 'a file in its place');
  const { token } = await server.register('No operator');
  await (await startDue()).takeTurn();
  const state = await readState();
  expect(state).toMatchObject({ error: expect.stringContaining(folder), last_succeeded_at: null });
  expect((state.due_at as Date).getTime()).toBeGreaterThan(Date.now());
  expect(await listNotified()).toEqual(['BackupFailed']);
  const log = await server.request('GET', '/v1/my/events/log?types=backup.failed', { token: operator.token });
  expect(log.body.data.at(-1).data).toEqual({ error: state.error, last_succeeded_at: null });
  const others = await server.request('GET', '/v1/my/events/log?types=backup.failed', { token });
  expect(others.body.data).toEqual([]);
});

it('operators learn once that there has been no backup for twice as long as planned, until there is one', async () => {
  const backups = await startDue();
  const lateBy = (days: number) =>
    server.query(
      `update scheduled_backup set due_at = now() + interval '1 hour', planned_at = now() - $1 * interval '1 day',
         last_succeeded_at = null`,
      [days],
    );
  await lateBy(1.9);
  await backups.takeTurn();
  expect(await listNotified()).toEqual([]);
  await lateBy(2.1);
  const withoutFolder = start();
  await Promise.all([backups.takeTurn(), withoutFolder.takeTurn()]);
  await backups.takeTurn();
  expect(await listNotified()).toEqual(['BackupFailed']);
  await makeDue();
  await backups.takeTurn();
  expect(await readState()).toMatchObject({ warned_at: null });
});

it(
  'a full disk fails the backup with a text that says so, and keeps the earlier ones',
  { tags: ['root'] },
  async () => {
    await mkdir(folder);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    try {
      const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `berth-${day}T03-00-00Z.tar.gz`);
      for (const name of old) await writeFile(join(folder, name), '');
      await (await startDue()).takeTurn();
      const { error } = await readState();
      expect(error).toBe(`there is no room for a backup in ${folder}; earlier ones were kept`);
      expect((await readdir(folder)).sort()).toEqual(old);
    } finally {
      await run('umount', [folder]);
    }
  },
);
