/**
 * The operator's password: shown before it is valid, whatever ends the first start, and renewed on the machine itself.
 * Declares tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestClient,
  createTestDatabase,
  endProcesses,
  OPERATOR_LOCK,
  startTestStack,
  withClient,
  type SpawnedProcess,
  type TestDatabase,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
const EMAIL = 'operator@berth.local';
const PASSWORD = /^ +Password +(\S{24})$/gm;

let folder: string;
let database: TestDatabase;

const toSettings = () => ({
  BERTH_PORT: '0',
  BERTH_RATE_LIMIT: 'off',
  BERTH_DATABASE_URL: database.url,
  BERTH_DATA_DIR: join(folder, 'data'),
});

const listPasswords = (output: string): string[] => [...output.matchAll(PASSWORD)].map(([, password = '']) => password);

const waitUntilReady = async (server: SpawnedProcess): Promise<string> =>
  (await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: TIMEOUT_MS }))[1] ?? '';

const logIn = (url: string, password: string | undefined) =>
  createTestClient(url).request('POST', '/v1/auth/login', { body: { email: EMAIL, password } });

/** Starts the server once more: of all passwords that were printed so far, the last one lets the operator in. */
const expectAnnouncedPassword = async (settings: Record<string, string>, before: string): Promise<void> => {
  const server = startProgram('main', settings);
  const url = await waitUntilReady(server);
  const shown = listPasswords(before + server.output);
  expect((await logIn(url, shown.at(-1))).status).toBe(200);
  server.kill('SIGTERM');
  await server.ended;
};

/** Gives each test a database and a place for its data. */
export const useInstances = (): void => {
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-operator-'))));
  beforeEach(async () => void (database = await createTestDatabase()));
  afterEach(async () => {
    await endProcesses();
    await database.close();
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
};

/** The password counts, whichever signal ends the start while the account is made. */
export const testEndsWhileMade = (...signals: ('SIGKILL' | 'SIGTERM')[]): void => {
  it.each(signals)(
    'the password of the first start is known when the start ends by %s while the account is made',
    { timeout: TIMEOUT_MS },
    async (signal) => {
      const settings = toSettings();
      // Another server that is about to make the operator holds this lock: the start waits at the very place.
      await withClient(database.url, async (client) => {
        await client.query(`begin; select pg_advisory_xact_lock(${OPERATOR_LOCK})`);
        const server = startProgram('main', settings);
        // Of this database alone: the tests beside this one wait for locks of theirs.
        const own = 'database = (select oid from pg_database where datname = current_database())';
        const text = `select 1 from pg_locks where locktype = 'advisory' and not granted and ${own}`;
        await expect.poll(async () => (await client.query(text)).rowCount, { timeout: TIMEOUT_MS }).toBe(1);
        server.kill(signal);
        await client.query('commit');
        await server.ended;
        await expectAnnouncedPassword(settings, server.output);
      });
    },
  );
};

/** The password counts, whichever signal ends the start when it was printed. */
export const testEndsWhenPrinted = (...signals: ('SIGKILL' | 'SIGTERM')[]): void => {
  it.each(signals)(
    'the password of the first start is known when the start ends by %s as soon as it was printed',
    { timeout: TIMEOUT_MS },
    async (signal) => {
      const settings = toSettings();
      const server = startProgram('main', settings);
      await server.waitForLine(/Password +\S{24}/, { timeoutMs: TIMEOUT_MS });
      server.kill(signal);
      await server.ended;
      await expectAnnouncedPassword(settings, server.output);
    },
  );
};

/** The other moments of the first start, and the command. */
export const testPasswords = (): void => {
  describe('the password of the first start', { timeout: TIMEOUT_MS }, () => {
    it('is not made while the port is taken', async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const settings = toSettings();
      const port = String((taken.address() as AddressInfo).port);
      const { code, output } = await runProgram('main', { ...settings, BERTH_PORT: port });
      taken.close();
      expect([code, listPasswords(output)]).toEqual([1, []]);
      await expectAnnouncedPassword(settings, output);
    });
  });

  describe('script/operator-password', { timeout: TIMEOUT_MS }, () => {
    it('gives a new password beside a running server, and revokes what the old one gave', async () => {
      const settings = toSettings();
      const server = startProgram('main', settings);
      const url = await waitUntilReady(server);
      const [old] = listPasswords(server.output);
      const { token } = (await logIn(url, old)).body.data as { token: string };
      const { code, output } = await runProgram('operator-password-main', settings);
      const [made, ...others] = listPasswords(output);
      expect([code, others, output]).toEqual([0, [], expect.stringContaining(EMAIL)]);
      expect((await logIn(url, old)).status).toBe(422);
      expect((await logIn(url, made)).status).toBe(200);
      const profile = await createTestClient(url).request('GET', '/v1/my/account/profile', { token });
      expect(profile.status).toBe(401);
      const unknown = await runProgram('operator-password-main', settings, 'ada@example.com');
      expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('ada@example.com') as string });
      server.kill('SIGTERM');
      await server.ended;
    });

    it('does the same with the embedded database, which need not run, and leaves none running', async () => {
      const stack = await startTestStack({ isEmbedded: true, hasLocalHosts: false });
      const settings = { BERTH_DATA_DIR: stack.dataDir };
      const beside = await runProgram('operator-password-main', settings);
      expect((await logIn(stack.url, listPasswords(beside.output)[0])).status).toBe(200);
      stack.server.kill('SIGTERM');
      await stack.server.ended;
      const { code, output } = await runProgram('operator-password-main', settings);
      expect([code, stack.processes()]).toEqual([0, []]);
      await stack.restart();
      expect((await logIn(stack.url, listPasswords(output)[0])).status).toBe(200);
      await stack.close();
    });

    it('says so where there is no instance, or no operator yet', async () => {
      const none = await runProgram('operator-password-main', { BERTH_DATA_DIR: join(folder, 'nowhere') });
      expect(none).toMatchObject({ code: 1, output: expect.stringContaining('there is no database in') as string });
      const fresh = await runProgram('operator-password-main', toSettings());
      expect(fresh).toMatchObject({ code: 1, output: expect.stringContaining('no operator') as string });
    });
  });
};
