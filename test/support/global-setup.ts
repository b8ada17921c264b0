/**
 * Once per test run: the programs are built, and one PostgreSQL runs with the current schema in a template database.
 * This folder is the one exception to "nothing imports an app": it starts the real ones.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '@berth/postgres';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { TEMPLATE_DATABASE, toDatabaseUrl, withClient } from './test-database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Called by vitest before the first test file; what it returns is called after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildPrograms();
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-test-'));
  const removeDataDir = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    const log = createLogger({ name: 'test database', level: 'warn' });
    const postgres = await startEmbeddedPostgres({ dataDir, log, durable: false });
    const teardown = async (): Promise<void> => {
      await postgres.stop();
      postgres.remove();
      removeDataDir();
    };
    await createTemplate(postgres.url).catch(async (error: unknown) => {
      await teardown();
      throw error;
    });
    project.provide('postgresUrl', postgres.url);
    return teardown;
  } catch (error) {
    removeDataDir();
    throw error;
  }
}

/** Only a warning here, so that the tests of one program can be run while another one is half written. */
const buildPrograms = (): void => {
  const { status: exitCode } = spawnSync(join(root, 'script/build'), { stdio: ['ignore', 'inherit', 'inherit'] });
  if (exitCode !== 0)
    process.stderr.write('The build failed: tests that start that program find none, or the last one.\n');
};

const createTemplate = async (url: string): Promise<void> => {
  await withClient(url, (client) => client.query(`create database ${TEMPLATE_DATABASE}`));
  await migrate(toDatabaseUrl(url, TEMPLATE_DATABASE), join(root, 'apps/server/migrations'));
};
