/** Servers, one database, and the keys that it needs: who lacks one does not start, and says which and what to do. Declares tests. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestClient,
  createTestDatabase,
  endProcesses,
  Vault,
  withClient,
  type SpawnedProcess,
  type TestDatabase,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
const TERMINAL = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 };

let folder: string;
let database: TestDatabase;

const createKey = () => {
  const key = randomBytes(32);
  return { text: key.toString('base64'), id: new Vault([key]).keyIds[0] };
};

type Key = ReturnType<typeof createKey>;

const toSettings = (more: Record<string, string>) => ({
  BERTH_PORT: '0',
  BERTH_RATE_LIMIT: 'off',
  BERTH_DATABASE_URL: database.url,
  BERTH_DATA_DIR: mkdtempSync(join(folder, 'data-')),
  BERTH_DEFAULT_PLATFORM: 'sandbox',
  ...more,
});

const toFile = (...keys: Key[]) => {
  const settings = toSettings({});
  const text = keys.map((key) => `${key.text}\n`).join('');
  writeFileSync(join(settings.BERTH_DATA_DIR, 'secret.key'), text, { mode: 0o600 });
  return settings;
};

const start = async (settings: Record<string, string>): Promise<{ url: string; server: SpawnedProcess }> => {
  const server = startProgram('main', settings);
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: TIMEOUT_MS });
  return { url, server };
};

const startAndStop = async (settings: Record<string, string>): Promise<void> => {
  const { server } = await start(settings);
  server.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
};

const expectRefusal = async (settings: Record<string, string>, missing: Key, ...present: Key[]): Promise<void> => {
  const { code, output } = await runProgram('main', settings);
  expect([code, output]).toEqual([1, expect.stringContaining(`key id: ${missing.id}`)]);
  expect(output).toContain(`BERTH_LOST_KEYS=${missing.id}`);
  for (const { text } of [missing, ...present]) expect(output).not.toContain(text);
};

const readyStatus = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

/** A terminal whose password is sealed under the server's key. */
const seal = async (url: string): Promise<void> => {
  const { berth } = await createTestClient(url).register('Sealed');
  await berth.terminals.create(TERMINAL);
};

/** Gives each test a database, and closes what it opened. */
const useDatabases = (): void => {
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-keys-'))));
  beforeEach(async () => void (database = await createTestDatabase()));
  afterEach(async () => {
    await endProcesses();
    await database.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
};

/** Of servers that lack a key, and of a rotation. */
export const testKeys = (): void => {
  useDatabases();

  describe('a server', { timeout: TIMEOUT_MS }, () => {
    it('with another key than the one in use is refused before anything is sealed, and the first one works on', async () => {
      const [first, other] = [createKey(), createKey()];
      const { url } = await start(toSettings({ BERTH_SECRET_KEY: first.text }));
      await expectRefusal(toSettings({ BERTH_SECRET_KEY: other.text }), first, other);
      await expectRefusal(toFile(other), first, other);
      expect(await readyStatus(url)).toBe(200);
    });

    it('whose key file was mislaid is refused, and makes no new one in its place', async () => {
      const settings = toSettings({});
      await startAndStop(settings);
      const path = join(settings.BERTH_DATA_DIR, 'secret.key');
      const text = readFileSync(path, 'utf8').trim();
      rmSync(path);
      await expectRefusal(settings, { text, id: new Vault([Buffer.from(text, 'base64')]).keyIds[0] });
      expect(existsSync(path)).toBe(false);
    });

    it('that was not given the new key of a rotation says that it is not ready', async () => {
      const [old, next] = [createKey(), createKey()];
      const { url } = await start(toFile(old));
      await startAndStop(toFile(old, next));
      expect(await readyStatus(url)).toBe(200);
      await startAndStop(toFile(next, old));
      expect(await readyStatus(url)).toBe(503);
      await expectRefusal(toFile(old), next, old);
    });
  });

  describe('a key', { timeout: TIMEOUT_MS }, () => {
    it('that was replaced is needed for as long as a secret is sealed under it', async () => {
      const [old, next] = [createKey(), createKey()];
      const { url, server } = await start(toFile(old));
      await seal(url);
      server.kill('SIGTERM');
      await server.ended;
      await startAndStop(toFile(next, old));
      await expectRefusal(toFile(next), old, next);
      await withClient(database.url, (client) => client.query('delete from terminal_secrets'));
      await startAndStop(toFile(next));
      const { rows } = await withClient(database.url, (client) => client.query('select id, role from secret_keys'));
      expect(rows).toEqual([{ id: next.id, role: 'sealing' }]);
    });
  });
};

/** Of a key that nobody has any more. */
export const testLostKeys = (): void => {
  useDatabases();

  it('a permanently lost key can be declared lost once, by its id', { timeout: TIMEOUT_MS }, async () => {
    const [lost, next] = [createKey(), createKey()];
    const { url, server } = await start(toFile(lost));
    await seal(url);
    server.kill('SIGTERM');
    await server.ended;
    const settings = toFile(next);
    await expectRefusal(settings, lost, next);
    await startAndStop({ ...settings, BERTH_LOST_KEYS: lost.id });
    await startAndStop(settings);
    // Should it be found after all, it opens what it sealed.
    await startAndStop(toFile(next, lost));
    const found = await withClient(database.url, (client) =>
      client.query('select role from secret_keys order by role'),
    );
    expect(found.rows).toEqual([{ role: 'opening' }, { role: 'sealing' }]);
    const { code, output } = await runProgram('main', { ...settings, BERTH_LOST_KEYS: next.id });
    expect([code, output]).toEqual([1, expect.stringContaining('a key that this server has')]);
  });
};
