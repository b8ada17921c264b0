/**
 * The commands of the pages for operators, typed as they stand there: backup drill, hosts that join, keys, statements. Only
 * places are put in: folders, addresses, ports, and what a person copies from the step before. On a fresh data directory,
 * and a second time on the one that has lived.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountStatus } from '@berth/contract';
import {
  createTestClient,
  findFreePort,
  logInOperator,
  spawnProcess,
  startTestStack,
  TEST_PASSWORD,
  withClient,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listPagesToFollow, readBlocks, readRun, type PageBlock } from '../house/page-blocks.ts';
import { rootDir } from '../house/repository.ts';

const TIMEOUT_MS = 600_000;
const WAIT = { timeoutMs: 300_000 };

let stack: TestStack;
let folder: string;
/** What stands in the pages → what it is here. */
let places: Record<string, string>;
/** What goes on by itself. */
const running: SpawnedProcess[] = [];

const toHere = (text: string): string =>
  Object.entries(places).reduce((result, [written, here]) => result.replaceAll(written, here), text);

const toEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  BERTH: stack.url,
  BERTH_AGENT_DIR: join(folder, 'agent'),
  BERTH_LOG_LEVEL: 'info',
});

/** Types a block that ends by itself. */
const type = ({ text }: PageBlock): string => {
  const options = { cwd: rootDir, env: toEnvironment(), encoding: 'utf8', timeout: TIMEOUT_MS } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -e\n${toHere(text)}`], options);
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  return stdout;
};

/** Types a block that goes on, until it has said what it should. */
const begin = async (block: PageBlock): Promise<SpawnedProcess> => {
  const until = readRun(block)?.until ?? '';
  const started = spawnProcess('bash', ['-c', toHere(block.text)], { cwd: rootDir, env: toEnvironment() });
  running.push(started);
  await started.waitForLine(new RegExp(until), WAIT);
  return started;
};

/** Ctrl+C ends all that still run, the last one first; it reaches what they have started, too. */
const pressCtrlC = async (): Promise<void> => {
  for (const started of running.splice(0).reverse()) {
    process.kill(-started.pid, 'SIGINT');
    await started.ended;
  }
};

const listOf = (page: string): PageBlock[] => readBlocks(page).filter((block) => readRun(block)?.by === 'operator');
const visits = ['the first time', 'again'];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-operator-')));
  stack = await startTestStack({ isEmbedded: true });
  const [, password = ''] = await stack.server.waitForLine(/Password +(\S{12,})/);
  places = {
    '/var/lib/berth': stack.dataDir,
    '/srv/backups': join(folder, 'backups'),
    '/tmp/drill': join(folder, 'drill'),
    '/srv/broker': join(folder, 'broker'),
    'BERTH_PORT=4999': `BERTH_PORT=${await findFreePort()}`,
    'https://berth.example.com': stack.url,
    '<the printed password>': password,
  };
}, TIMEOUT_MS);
afterEach(pressCtrlC);
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

describe('docs/guides/backup-drill.md', { timeout: TIMEOUT_MS }, () => {
  const [backup, restore, start] = listOf('docs/guides/backup-drill.md');

  it.each(visits)('leads to a copy that has the hosts and the accounts of the original %s', async () => {
    for (const name of ['backups', 'drill']) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'backups'));
    const { user } = await stack.register('Ada');
    type(backup!);
    type(restore!);
    const copy = await begin(start!);
    const [, url = ''] = await copy.waitForLine(/Berth is ready at (http\S+)/);
    const client = createTestClient(url);
    const body = { email: user.email, password: TEST_PASSWORD };
    expect((await client.request('POST', '/v1/auth/login', { body })).status).toBe(200);
    const hosts = await client.request('GET', '/v1/operator/hosts', { token: await logInOperator(stack, client) });
    expect(hosts.body.data).toHaveLength(4);
    await pressCtrlC();
    // The last step of the page: as root, PostgreSQL's folder stands elsewhere.
    spawnSync('sh', ['-c', `rm -rf "$(readlink ${join(folder, 'drill')}/postgres)" ${join(folder, 'drill')}`]);
  });
});

describe('docs/guides/join-a-host.md', { timeout: TIMEOUT_MS }, () => {
  const [order, broker, agent] = listOf('docs/guides/join-a-host.md');

  it.each(visits)('leads to a host in service %s', async () => {
    for (const name of ['broker', 'agent']) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'broker'));
    const answer = JSON.parse(type(order!)) as { data: { join_token: string } };
    places['<the join token>'] = answer.data.join_token;
    await begin(broker!);
    await begin(agent!);
    await pressCtrlC();
  });
});

describe('docs/guides/two-servers.md', () => {
  it('makes a key of 32 bytes', () => {
    const [key] = listOf('docs/guides/two-servers.md');
    expect(Buffer.from(type(key!).trim(), 'base64')).toHaveLength(32);
  });
});

describe('the statements of the pages', { timeout: TIMEOUT_MS }, () => {
  const statements = listPagesToFollow()
    .flatMap(readBlocks)
    .filter((block) => block.language === 'sql' && readRun(block)?.by === 'operator');

  it('are there', () => expect(statements.length).toBeGreaterThan(0));

  it('do what they say', async () => {
    const { token, user } = await stack.register('Grace');
    await withClient(stack.databaseUrl, async (client) => {
      for (const { text } of statements) await client.query(text.replaceAll('ada@example.com', user.email));
    });
    expect((await stack.request('GET', '/v1/my/account/profile', { token })).status).toBe(403);
    const restore = `update users set status = ${AccountStatus.ACTIVE}`;
    await withClient(stack.databaseUrl, (client) => client.query(restore));
    expect((await stack.request('GET', '/v1/operator/hosts', { token })).status).toBe(200);
    const regions = await stack.request('GET', '/v1/my/trading/terminals/regions', { token });
    expect(regions.body.data.map(({ label }: { label: string }) => label)).toContain('Tokyo');
  });
});
