/** script/restore <file>: settings as the server's, the file as the one argument. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import { restoreBackup } from './backup/restore.ts';
import { readConfig } from './config.ts';

const appDir = fileURLToPath(new URL('..', import.meta.url));

const [file, ...others] = process.argv.slice(2);
if (file === undefined || file.startsWith('-') || others.length > 0) {
  process.stdout.write(
    'script/restore <file>: makes a new data directory (BERTH_DATA_DIR) from a backup, with an embedded database or, with\n' +
      'BERTH_DATABASE_URL, in an empty one of yours (docs/operating.md).\n',
  );
  process.exit(file === '--help' || file === '-h' ? 0 : 2);
}

try {
  const config = readConfig(process.env, resolve(appDir, '../../data'));
  const log = createLogger({ name: 'restore', level: config.logLevel, destination: 2 });
  const dataDir = resolve(config.dataDir);
  const migrations = resolve(appDir, 'migrations');
  const options = { dataDir, databaseUrl: config.databaseUrl, file: resolve(file), migrations, log };
  const { manifest, hasKeys } = await restoreBackup(options);
  const keys = hasKeys ? '' : ' The keys were not in it: set BERTH_SECRET_KEY as before.';
  process.stdout.write(`berth: ${dataDir} is as of ${manifest.made_at}.${keys} Start the server on it.\n`);
} catch (error) {
  process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
