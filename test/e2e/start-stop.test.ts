// @module-tag curl
/** `script/server` as a user meets it: started, stopped, killed, beside another one, with mistakes. The slow tests build all of it. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestClient,
  createTestDatabase,
  endProcesses,
  findFreePort,
  listChildren,
  spawnProcess,
  waitFor,
} from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Checkout, NOBODY, toEnvironment, waitUntilReady, type CheckoutOptions } from './checkout.ts';
import { killWhileStarting, runTerminalAndStop, stop, stopWhileStarting, tryCommand } from './starts.ts';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

let folder: string;
let checkout: Checkout;
let port: string;
const copies: Checkout[] = [];
const folders: string[] = [];

const createFolder = (prefix: string): string => {
  const created = realpathSync(mkdtempSync(prefix));
  folders.push(created);
  return created;
};

const createCheckout = (root: string, options?: CheckoutOptions): Checkout => {
  const copy = new Checkout(root, options);
  copies.push(copy);
  return copy;
};

beforeAll(async () => {
  folder = createFolder(join(tmpdir(), 'berth-checkout-'));
  checkout = createCheckout(join(folder, 'berth'), { built: 'pages' });
  port = String(await findFreePort());
}, TIMEOUT_MS);

afterAll(async () => {
  await endProcesses();
  for (const copy of copies) await copy.remove();
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}, TIMEOUT_MS);

describe('script/server', { timeout: TIMEOUT_MS }, () => {
  let user: TerminalUser;
  let terminalId: string;

  const listTerminals = () => checkout.processes('terminal').map(({ pid, startTicks }) => `${pid} ${startTicks}`);

  it('builds and starts everything, and prints what a person needs', async () => {
    const server = await checkout.start({ BERTH_PORT: port });
    expect(server.url).toBe(`http://127.0.0.1:${port}`);
    expect(server.output).toMatch(/Operator +operator@berth\.local/);
    expect(server.output).toMatch(/Password +\S{12,}\n/);
    const answer = tryCommand(server.output);
    expect(answer).toMatchObject({ ok: true, data: { token_type: 'Bearer' } });
    user = new TerminalUser(server.url, answer.data?.token ?? '');
    const regions = [0, 1, 2, 3];
    const created = await Promise.all(
      regions.map((region) =>
        user.createTerminal({ server_name: 'Harbour-Demo', login: `80${region}`, password: 'pass-80', region }),
      ),
    );
    for (const { id } of created) await user.waitForStatus(id, 'ACTIVE');
    terminalId = created[0]!.id;
    const roles = new Set(checkout.processes().map(({ role }) => role));
    expect([...roles].sort()).toEqual(['PostgreSQL', 'agent', 'server', 'terminal', 'trading server']);
    await stop(server);
    expect(checkout.processes()).toEqual([]);
  });

  it('script/server starts again without a word of the password, and its terminals with it', async () => {
    const server = await checkout.start({ BERTH_PORT: port });
    expect(server.output).toMatch(/Password +printed at the first start/);
    expect(tryCommand(server.output)).toMatchObject({ ok: true });
    await user.run(terminalId, 'SCREENSHOT', { width: 320, height: 240 });
    await stop(server);
    expect(checkout.processes()).toEqual([]);
  });

  it('stops everything at Ctrl+C', { tags: ['pty'] }, async () => {
    const terminal = checkout.spawn({ BERTH_PORT: port }, { hasTerminal: true });
    terminal.child.stdin?.on('error', () => undefined);
    await waitUntilReady(terminal);
    await waitFor(() => listTerminals().length === 4, { what: 'four terminals' });
    terminal.child.stdin?.write('\u0003');
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(checkout.processes()).toEqual([]);
  });

  it('script/server comes back after a kill -9 with the same terminals, and nothing of the old start stays', async () => {
    const killed = await checkout.start({ BERTH_PORT: port });
    await user.waitForStatus(terminalId, 'ACTIVE');
    await waitFor(() => listTerminals().length === 4, { what: 'four terminals' });
    const before = listTerminals();
    killed.kill('SIGKILL');
    await killed.ended;
    const server = await checkout.start({ BERTH_PORT: port });
    await user.run(terminalId, 'SCREENSHOT', { width: 320, height: 240 });
    expect(listTerminals()).toEqual(before);
    for (const role of ['agent', 'trading server'] as const) {
      await waitFor(() => checkout.processes(role).length === 1, { what: `one process of the role ${role}` });
    }
    await stop(server);
    expect(checkout.processes()).toEqual([]);
  });

  it('script/server leaves no child when it is killed while its children start', async () => {
    await killWhileStarting(checkout, port, 'agent');
    // The terminals and PostgreSQL are taken over by the next start.
    await stop(await checkout.start({ BERTH_PORT: port }));
    expect(checkout.processes()).toEqual([]);
  });

  it('script/server leaves nothing when it is asked to stop while it starts', () =>
    stopWhileStarting(checkout, port, 'PostgreSQL'));

  it('script/server runs beside another copy on another port', async () => {
    const other = createCheckout(join(folder, 'other'));
    const ports = [port, String(await findFreePort())] as const;
    const [one, two] = await Promise.all([
      checkout.start({ BERTH_PORT: ports[0] }),
      other.start({ BERTH_PORT: ports[1] }),
    ]);
    expect(tryCommand(two.output)).toMatchObject({ ok: true, data: { token_type: 'Bearer' } });
    await stop(one);
    expect(checkout.processes()).toEqual([]);
    await runTerminalAndStop(other, two);
  });

  // Without root there is nobody to change to; then all the tests here run as an ordinary user anyway.
  it('script/server runs as an ordinary user in a home that nobody else may enter', { tags: ['root'] }, async () => {
    const home = createFolder('/tmp/berth-home-');
    chownSync(home, NOBODY.uid, NOBODY.gid);
    const own = createCheckout(join(home, 'berth'), { owner: NOBODY });
    const server = await own.start({ BERTH_PORT: String(await findFreePort()), TMPDIR: '/tmp' });
    await runTerminalAndStop(own, server);
  });
});

describe('the server says what is wrong', { timeout: TIMEOUT_MS }, () => {
  const run = async (environment: Record<string, string>) => {
    const server = checkout.spawn(environment);
    const end = await server.ended;
    return { ...end, output: server.output };
  };

  // The first start builds; where one of these tests runs alone, that is here.
  beforeEach(() => void spawnSync(join(checkout.root, 'script/setup')));

  it('the server says what is wrong with every setting at once', async () => {
    const { code, output } = await run({
      BERTH_PORT: '70000',
      BERTH_REGISTRATION: 'maybe',
      BERTH_SECRET_KEY: 'short',
      BERTH_DATABASE_URL: 'mysql://x',
    });
    expect(code).toBe(78);
    for (const name of ['BERTH_PORT', 'BERTH_REGISTRATION', 'BERTH_SECRET_KEY', 'BERTH_DATABASE_URL']) {
      expect(output).toContain(name);
    }
    expect(output).not.toContain('    at ');
  });

  it('the server says what is wrong with a port that is taken, and stops what it had started', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port: number } = taken.address() as { port: number };
    const { code, output } = await run({ BERTH_PORT: String(number) });
    taken.close();
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${number} is in use by another program; set BERTH_PORT to a free port`);
    expect(checkout.processes()).toEqual([]);
  });

  it('the server says what is wrong with a data directory that cannot be', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, output } = await run({ BERTH_PORT: port, BERTH_DATA_DIR: join(file, 'data') });
    expect(code).toBe(1);
    expect(output).toMatch(/^berth: .*BERTH_DATA_DIR/m);
    expect(output).toContain(join(file, 'data'));
  });
});

describe('with a PostgreSQL of its own choice', { timeout: TIMEOUT_MS }, () => {
  it('the server starts none, and no local host unless configured', async () => {
    const database = await createTestDatabase();
    const dataDir = join(folder, 'data-elsewhere');
    const main = join(checkout.root, 'apps/server/dist/main.js');
    spawnSync(join(checkout.root, 'script/setup'));
    const env = toEnvironment({ BERTH_PORT: '0', BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: database.url });
    const server = spawnProcess(process.execPath, [main], { env });
    const url = await waitUntilReady(server);
    const regions = await createTestClient(url).request('GET', '/readyz');
    expect(regions.status).toBe(200);
    expect(listChildren(server.pid)).toEqual([]);
    server.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await database.close();
  });
});
