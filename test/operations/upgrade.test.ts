/** A database that an earlier release left behind: today's server migrates it at its start and goes on with all of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { ResultStatus, TaskStatus, TaskType } from '@berth/contract';
import {
  createTestDatabase,
  startTestStack,
  TestHost,
  toStep,
  Vault,
  withClient,
  type TestDatabase,
  type TestStack,
} from '@berth/testing';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpSchema } from '../house/schema-dump.ts';
import { runProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
const FIXTURES = join(import.meta.dirname, 'fixtures');
const MIGRATIONS = join(import.meta.dirname, '../../apps/server/migrations');

interface Facts {
  secret_key: string;
  owner: { id: string; token: string; read_only_token: string; email: string; password: string; name: string };
  host: { id: string; credential: string };
  terminal_id: string;
  terminal_password: string;
  tasks: Record<'completed' | 'delivered' | 'planned' | 'planned_login', string>;
  file_id: string;
  file_text: string;
}

const releases = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replace('.sql', ''));

const readFixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');

/** What makes the schema of a release: its migrations up to the one that it is named by. */
const readSchema = (release: string): string =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.slice(0, release.length) <= release)
    .sort()
    .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
    .join('\n');

/** The moves of each task, oldest first. */
const readHistory = async (client: Client): Promise<Map<string, string[]>> => {
  const { rows } = await client.query<{ task_id: string; moves: string[] }>(
    `select task_id, array_agg(concat_ws(' ', at, from_status, to_status, actor, attempt) order by id) as moves
     from public.task_history group by task_id`,
  );
  return new Map(rows.map(({ task_id: id, moves }) => [id, moves]));
};

it('there is a fixture of the first release', () => expect(releases).toContain('000001'));

describe.each(releases)('a database of release %s', { timeout: TIMEOUT_MS }, (release) => {
  const facts = JSON.parse(readFixture(`${release}.json`)) as Facts;
  let database: TestDatabase;
  let stack: TestStack;
  let host: TestHost;
  let refusal: { code: number | null; output: string };

  let berth: Berth;
  const readTask = (id: string) => berth.tasks.get(facts.terminal_id, id);

  let history: Map<string, string[]>;
  beforeAll(async () => {
    database = await createTestDatabase();
    await withClient(database.url, async (client) => {
      await client.query('drop schema public cascade; create schema public');
      await client.query(readSchema(release));
      await client.query(readFixture(`${release}.sql`));
      history = await readHistory(client);
    });
    const other = { BERTH_DATABASE_URL: database.url, BERTH_PORT: '0', BERTH_SECRET_KEY: '5'.repeat(64) };
    const dataDir = mkdtempSync(join(tmpdir(), 'berth-upgrade-'));
    refusal = await runProgram('main', { ...other, BERTH_DATA_DIR: dataDir });
    rmSync(dataDir, { recursive: true, force: true });
    const environment = { BERTH_DATABASE_URL: database.url, BERTH_SECRET_KEY: facts.secret_key };
    stack = await startTestStack({ isEmbedded: true, hasLocalHosts: false, environment });
    berth = new Berth({ baseUrl: stack.url, token: facts.owner.token });
    host = new TestHost(stack, facts.host);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await stack.close();
    await database.close();
  }, TIMEOUT_MS);

  it('a database of an earlier release had rows in every table that it made, so that nothing is upgraded unseen', () => {
    const tables = [...readSchema(release).matchAll(/^create table (\w+)/gm)].map(([, name]) => name);
    const rows = readFixture(`${release}.sql`).matchAll(/^INSERT INTO public\.(\w+)/gm);
    const filled = new Set([...rows].map(([, name]) => name));
    expect(tables).not.toEqual([]);
    expect(tables.filter((name) => !filled.has(name))).toEqual([]);
  });

  it('a database of an earlier release is not opened by a server without the key that sealed its secrets', () => {
    const [id] = new Vault([Buffer.from(facts.secret_key, 'hex')]).keyIds;
    expect(refusal).toMatchObject({ code: 1, output: expect.stringContaining(`key id: ${id}`) as string });
  });

  it('a database of an earlier release has today’s schema', async () => {
    const fresh = await createTestDatabase();
    const expected = await withClient(fresh.url, dumpSchema);
    await fresh.close();
    expect(await withClient(database.url, dumpSchema)).toBe(expected);
  });

  it('a database of an earlier release lets its user in by password and by token, with the rights of each', async () => {
    const { id, email, password, name, read_only_token: token } = facts.owner;
    expect((await berth.auth.login({ email, password })).user).toEqual({ name, email });
    const reader = new Berth({ baseUrl: stack.url, token });
    for (const client of [berth, reader]) expect(await client.account.profile()).toMatchObject({ id });
    await expect(reader.projects.create({ name: 'No' })).rejects.toMatchObject({ status: 403 });
  });

  it('a database of an earlier release shows its projects, notifications, terminals, tasks and files', async () => {
    const projects = await berth.projects.list().toArray();
    expect(projects.map(({ name }) => name)).toEqual(['Second project', 'Default project']);
    expect((await berth.account.notifications.page()).data.length).toBeGreaterThan(0);
    expect(await berth.terminals.list().toArray()).toHaveLength(1);
    expect((await berth.terminals.get(facts.terminal_id)).login).toBe('1001');
    expect(await readTask(facts.tasks.completed)).toMatchObject({
      type: TaskType.EA_INSTALL,
      status: TaskStatus.COMPLETED,
      result: { status: ResultStatus.OK },
    });
    expect(await readTask(facts.tasks.planned)).toMatchObject({
      type: TaskType.SCREENSHOT,
      status: TaskStatus.PENDING,
      attempts: 0,
    });
    expect(await readTask(facts.tasks.planned_login)).toMatchObject({ payload: { password: '********' } });
    const { bytes } = await berth.files.content(facts.file_id);
    expect(Buffer.from(bytes).toString()).toBe(facts.file_text);
  });

  it('accepts its host with the old credential, and the end of its running task', async () => {
    const wanted = await host.startSession();
    expect(wanted.map(({ id }) => id)).toEqual([facts.terminal_id]);
    const attempt = { task_id: facts.tasks.delivered, fence: 1 };
    expect(await host.report({ kind: 'completed', ...attempt, steps: [toStep({ data: { lines: [] } })] })).toEqual([
      'accepted',
    ]);
    expect(await readTask(facts.tasks.delivered)).toMatchObject({ status: TaskStatus.COMPLETED, attempts: 1 });
  });

  it('a database of an earlier release opens what it had sealed: the password of a terminal, and that of a task that still waits', async () => {
    const { id: stored } = await berth.tasks.create(facts.terminal_id, 'ACCOUNT_LOGIN', {});
    const [first] = await host.claim(1);
    expect([first?.id, first?.secrets.password]).toEqual([stored, facts.terminal_password]);
    await host.complete(first!);
    await withClient(database.url, (client) =>
      client.query('update tasks set planned_at = now() where id = $1', [facts.tasks.planned_login]),
    );
    const [second] = await host.claim(1);
    expect([second?.id, second?.secrets.password]).toEqual([facts.tasks.planned_login, 'sealed in the first release']);
  });

  it('a database of an earlier release keeps every move of every task that it had, in its order, and adds the later ones behind', async () => {
    expect([...history.values()].flat().length).toBeGreaterThan(5);
    const now = await withClient(database.url, readHistory);
    const kept = [...history].map(([id, moves]) => [id, now.get(id)?.slice(0, moves.length)] as const);
    expect(new Map(kept)).toEqual(history);
    expect(now.get(facts.tasks.delivered)!.length).toBeGreaterThan(history.get(facts.tasks.delivered)!.length);
  });

  it('a database of an earlier release gives out no number a second time', async () => {
    const { token } = await berth.account.tokens.create({ name: 'new' });
    expect(Number(token.split('|')[0])).toBeGreaterThan(Number(facts.owner.read_only_token.split('|')[0]));
  });

  it('a database of an earlier release is refused by a server that is older than it', async () => {
    await withClient(database.url, (client) =>
      client.query(`insert into migrations (name, sha256) values ('999999_future.sql', '')`),
    );
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    await expect(stack.restart()).rejects.toThrow('the database is newer than this server: it has 999999_future.sql');
  });
});
