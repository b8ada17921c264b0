/** script/backup <file>. It takes the server's settings. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, runProcessCommand, type Command } from '@berth/command';
import { createLogger } from '@berth/kit';
import { findDatabaseFolder } from '@berth/postgres';
import { writeBackup } from './backup/backup.ts';
import { readConfig, type ServerConfig } from './config.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const backup: Command<ServerConfig> = {
  usage: `Usage: script/backup FILE [--json]

Writes everything that the server needs to a new file, while the server works or while it is stopped.

Settings are the server's: BERTH_DATA_DIR, BERTH_DATABASE_URL. All about backups: docs/operating.md

Exit codes: 0 written, 1 failed, 2 wrong arguments, 78 wrong settings.
`,
  options: {},
  positionals: { min: 1, max: 1 },
  async run({ positionals: [file = ''], settings, signal }) {
    const { dataDir, databaseUrl, secretKey, logLevel } = settings;
    const log = createLogger({ name: 'backup', level: logLevel, destination: 2 });
    const { tables } = await writeBackup({ dataDir: resolve(dataDir), databaseUrl, file, log, signal });
    const hasKeys = secretKey === undefined;
    const keys = hasKeys ? 'the keys' : 'not the key, which is in BERTH_SECRET_KEY';
    const database = databaseUrl === undefined ? findDatabaseFolder(dataDir) : undefined;
    const from = database === undefined ? 'of BERTH_DATABASE_URL' : `of the database in ${database}`;
    return {
      exitCode: EXIT.fine,
      text:
        `berth: ${file} holds ${tables.length} tables ${from}, the folders of local hosts, and ${keys}. ` +
        'Keep it as you keep passwords.\n',
      json: { ok: true, file: resolve(file), tables: tables.length, has_keys: hasKeys, database: database ?? null },
    };
  },
};

await runProcessCommand({
  name: 'script/backup',
  command: backup,
  args: process.argv.slice(2),
  environment: process.env,
  readSettings: () => readConfig(process.env, resolve(rootDir, 'data')),
  expected: [Error],
});
