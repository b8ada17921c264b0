/**
 * The commands of the pages for operators, typed as they stand there: backups, upgrades, hosts that join, keys, statements.
 * Only places are put in: folders, addresses, ports, and what a person copies from the step before. On a fresh data
 * directory, and a second time on the one that has lived.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { AccountStatus } from '@berth/contract';
import {
  findFreePort,
  startTestStack,
  TEST_PASSWORD,
  waitFor,
  withClient,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, readRun, type PageBlock } from '../house/page-blocks.ts';
import { PageShell } from './page-shell.ts';

const TIMEOUT_MS = 600_000;

let stack: TestStack;
let folder: string;
let shell: PageShell;

const listOf = (page: string): PageBlock[] => readBlocks(page).filter((block) => readRun(block)?.by === 'operator');
const visits = ['the first time', 'again'];

/** As root, PostgreSQL's folder stands elsewhere, and the data directory links to it. */
const removeCopy = (path: string): void => {
  spawnSync('sh', ['-c', `rm -rf "$(readlink ${path}/postgres)" ${path}`]);
};

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-operator-')));
  stack = await startTestStack({ isEmbedded: true });
  const [, password = ''] = await stack.server.waitForLine(/Password +(\S{12,})/);
  const places = {
    '/var/lib/berth-new': join(folder, 'new'),
    '/var/lib/berth': stack.dataDir,
    '/srv/backups': join(folder, 'backups'),
    '/tmp/drill': join(folder, 'drill'),
    '/srv/broker': join(folder, 'broker'),
    'BERTH_PORT=4999': `BERTH_PORT=${await findFreePort()}`,
    'https://berth.example.com': stack.url,
    '<the printed password>': password,
  };
  const environment = {
    HOME: folder,
    BERTH: stack.url,
    BERTH_PORT: '0',
    BERTH_AGENT_DIR: join(folder, 'agent'),
    BERTH_LOG_LEVEL: 'info',
  };
  shell = new PageShell({ places, environment });
}, TIMEOUT_MS);
afterEach(async () => {
  await shell.pressCtrlC();
  for (const copy of ['new', 'drill']) removeCopy(join(folder, copy));
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** An original and its copy, or its successor, never run together. */
const withoutOriginal = async (callback: () => Promise<void>): Promise<void> => {
  stack.server.kill('SIGTERM');
  await stack.server.ended;
  await callback();
  await stack.restart();
  await stack.waitForHosts();
};

/** Begins with a place for backups that holds none. */
const emptyBackups = (): void => {
  rmSync(join(folder, 'backups'), { recursive: true, force: true });
  mkdirSync(join(folder, 'backups'));
};

/** Looks into a server that was started on a copy: the user can log in, and the hosts are known. */
const expectCopy = async (copy: SpawnedProcess, email: string): Promise<void> => {
  const [, url = ''] = await copy.waitForLine(/Berth is ready at (http\S+)/);
  const { auth } = new Berth({ baseUrl: url });
  expect((await auth.login({ email, password: TEST_PASSWORD })).user).toMatchObject({ email });
  const password = shell.places['<the printed password>']!;
  const { token } = await auth.login({ email: 'operator@berth.local', password });
  expect(await new Berth({ baseUrl: url, token }).operator.hosts.list().toArray()).toHaveLength(4);
};

describe('docs/guides/backup-drill.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, restore, start] = listOf('docs/guides/backup-drill.md');

  it.each(visits)('leads to a copy that has the hosts and the accounts of the original %s', async () => {
    emptyBackups();
    const { user } = await stack.register('Ada');
    await shell.type(backup!);
    await shell.type(restore!);
    await expectCopy(await shell.begin(start!), user.email);
  });
});

describe('docs/operating.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, start, broker] = listOf('docs/operating.md');

  it.each(visits)('leads from a backup to a server on a new data directory %s', async () => {
    emptyBackups();
    const { user } = await stack.register('Ada');
    await shell.type(backup!);
    await withoutOriginal(async () => {
      await expectCopy(await shell.begin(start!), user.email);
      await shell.pressCtrlC();
    });
  });

  it.each(visits)('starts a broker %s', async () => {
    rmSync(join(folder, 'broker'), { recursive: true, force: true });
    mkdirSync(join(folder, 'broker'));
    await shell.begin(broker!);
    await shell.pressCtrlC();
  });
});

describe('docs/guides/upgrade.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, start, ask] = listOf('docs/guides/upgrade.md');

  it.each(visits)('leads to a server that is ready %s', async () => {
    emptyBackups();
    await shell.type(backup!);
    await withoutOriginal(async () => {
      const server = await shell.begin(start!);
      const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/);
      shell.places['http://127.0.0.1:4000'] = url;
      expect(JSON.parse(await shell.type(ask!))).toMatchObject({ ok: true });
      await shell.pressCtrlC();
    });
  });
});

describe('docs/guides/join-a-host.md', { timeout: TIMEOUT_MS }, () => {
  const [order, broker, agent] = listOf('docs/guides/join-a-host.md');

  it.each(visits)('leads to a host in service %s', async () => {
    for (const name of ['broker', 'agent']) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'broker'));
    const answer = JSON.parse(await shell.type(order!)) as { data: { join_token: string } };
    shell.places['<the join token>'] = answer.data.join_token;
    await shell.begin(broker!);
    await shell.begin(agent!);
    await shell.pressCtrlC();
  });
});

describe('docs/guides/two-servers.md', () => {
  it('makes a database that belongs to its role', async () => {
    // The embedded PostgreSQL has a role and a database of these names already.
    const [statements] = listOf('docs/guides/two-servers.md');
    const own = statements!.text.replaceAll(/\bberth\b/g, 'berth_of_two');
    const owners = `select rolname from pg_database join pg_roles r on r.oid = datdba where datname = 'berth_of_two'`;
    await withClient(stack.databaseUrl, async (client) => {
      for (const statement of own.split(';\n').filter((text) => text.trim() !== '')) await client.query(statement);
      expect((await client.query(owners)).rows).toEqual([{ rolname: 'berth_of_two' }]);
      await client.query('drop database berth_of_two');
      await client.query('drop role berth_of_two');
    });
  });

  it('makes a key of 32 bytes', async () => {
    const [, key] = listOf('docs/guides/two-servers.md');
    expect(Buffer.from((await shell.type(key!)).trim(), 'base64')).toHaveLength(32);
  });
});

describe('docs/guides/from-psql.md', { timeout: TIMEOUT_MS }, () => {
  it('has statements that do what they say', async () => {
    const statements = listOf('docs/guides/from-psql.md');
    expect(statements.length).toBeGreaterThan(0);
    const { token, user, berth } = await stack.register('Grace');
    await withClient(stack.databaseUrl, async (client) => {
      for (const { text } of statements) await client.query(text.replaceAll('ada@example.com', user.email));
    });
    expect((await stack.request('GET', '/v1/my/account/profile', { token })).status).toBe(403);
    const restore = `update users set status = ${AccountStatus.ACTIVE}`;
    await withClient(stack.databaseUrl, (client) => client.query(restore));
    expect((await berth.operator.hosts.page()).data).not.toEqual([]);
    const isInRegions = async () => (await berth.regions.list().toArray()).some(({ label }) => label === 'Tokyo');
    await waitFor(isInRegions, { what: 'the new region' });
  });
});
