/** A server that is killed in the middle of a scheduled backup, and what becomes of it; the lease takes a minute to end. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, endProcesses, startTestStack, waitFor, withClient } from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runProgram } from './commands.ts';
import { readTables } from './tables.ts';

const TIMEOUT_MS = 600_000;
const BIG = Buffer.alloc(24 * 1024 * 1024, 'so that a copy takes a moment ');
/** What servers write while nobody asks for anything, and when the schema was made. */
const OWN = ['scheduled_backup', 'scheduler', 'migrations'];

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-killed-backup-'))));
afterEach(() => endProcesses());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'a server that is killed during a backup leaves no file of its name; once its lease is over another one is made, and restored it equals',
  { timeout: TIMEOUT_MS },
  async () => {
    const backups = join(folder, 'backups');
    const environment = { BERTH_BACKUP_DIR: backups, BERTH_BACKUP_CRON: '0 3 1 1 *' };
    const stack = await startTestStack({ hasLocalHosts: false, environment });
    const settings = { BERTH_DATA_DIR: stack.dataDir, BERTH_DATABASE_URL: stack.databaseUrl };
    const askForBackup = () => runProgram('operator-main', settings, 'backups', 'run');
    const readState = async () => (await stack.query('select * from scheduled_backup'))[0] ?? {};
    const { berth } = await stack.register('Careful');
    await berth.files.upload('big.bin', BIG);
    await waitFor(async () => (await readState()).plan, { what: 'the plan' });

    expect(await askForBackup()).toMatchObject({ code: 0 });
    const listDrafts = () =>
      existsSync(backups)
        ? readdirSync(backups, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('files.copy'))
        : [];
    await waitFor(() => listDrafts().length > 0, { what: 'half of a backup' });
    stack.server.kill('SIGKILL');
    await stack.server.ended;
    expect(readdirSync(backups)).toEqual([expect.stringMatching(/^\.unfinished-/)]);
    expect(await readState()).toMatchObject({ lease_id: expect.any(String) as string, last_succeeded_at: null });

    await stack.restart();
    expect(await askForBackup()).toMatchObject({ code: 1, output: expect.stringContaining('is being made') as string });
    const made = async () => {
      const { file } = await readState();
      return typeof file === 'string' && file;
    };
    const file = await waitFor(made, { what: 'the next backup', timeoutMs: TIMEOUT_MS });
    expect(await readState()).toMatchObject({ lease_id: null, attempts: 0, error: null });
    expect(readdirSync(backups)).toEqual([file]);
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    const original = await readTables(stack.databaseUrl);

    const copy = await createTestDatabase();
    await withClient(copy.url, (client) => client.query('drop schema public cascade; create schema public'));
    const place = { BERTH_DATA_DIR: join(folder, 'restored'), BERTH_DATABASE_URL: copy.url };
    expect(await runProgram('restore-main', place, join(backups, file))).toMatchObject({ code: 0 });
    const restored = await readTables(copy.url);
    const differing = Object.keys(original).filter((name) => original[name] !== restored[name]);
    expect([Object.keys(restored), differing.filter((name) => !OWN.includes(name))]).toEqual([
      Object.keys(original),
      [],
    ]);
    await copy.close();
    await stack.restart();
    await stack.close();
  },
);
