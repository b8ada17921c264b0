/** script/backup <file>. It takes the server's settings, and the file as its only argument. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import { writeBackup } from './backup/backup.ts';
import { readConfig } from './config.ts';
import { readArguments, runCommand } from './console/command.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const text = `script/backup <file>: writes everything that the server needs to a new file, while the server works or while it is stopped.

Settings are the server's: BERTH_DATA_DIR, BERTH_DATABASE_URL. All about backups: docs/operating.md
`;

const [file = ''] = readArguments({ text, min: 1, max: 1 });

await runCommand(async (signal) => {
  const { dataDir, databaseUrl, secretKey, logLevel } = readConfig(process.env, resolve(rootDir, 'data'));
  const log = createLogger({ name: 'backup', level: logLevel, destination: 2 });
  const { tables } = await writeBackup({ dataDir: resolve(dataDir), databaseUrl, file, log, signal });
  const keys = secretKey === undefined ? 'the keys' : 'not the key, which is in BERTH_SECRET_KEY';
  return `berth: ${file} holds ${tables.length} tables, the folders of local hosts, and ${keys}. Keep it as you keep passwords.\n`;
});
