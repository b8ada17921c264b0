/** script/restore <file>. It takes the server's settings, and the file as its only argument. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import { restoreBackup } from './backup/restore.ts';
import { readConfig } from './config.ts';
import { readArguments, runCommand } from './console/command.ts';

const appDir = fileURLToPath(new URL('..', import.meta.url));

const text = `script/restore <file>: makes a new data directory (BERTH_DATA_DIR) from a backup, with an embedded database or, with
BERTH_DATABASE_URL, in an empty one of yours. An interrupted restoration is begun anew by the same command.

All about backups: docs/operating.md
`;

const [file = ''] = readArguments({ text, min: 1, max: 1 });

await runCommand(async (signal) => {
  const config = readConfig(process.env, resolve(appDir, '../../data'));
  const log = createLogger({ name: 'restore', level: config.logLevel, destination: 2 });
  const dataDir = resolve(config.dataDir);
  const migrations = resolve(appDir, 'migrations');
  const options = { dataDir, databaseUrl: config.databaseUrl, file: resolve(file), migrations, log, signal };
  const { manifest, hasKeys } = await restoreBackup(options);
  const keys = hasKeys ? '' : ' The keys were not in it: set BERTH_SECRET_KEY as before.';
  return `berth: ${dataDir} is as of ${manifest.made_at}.${keys} Start the server on it.\n`;
});
