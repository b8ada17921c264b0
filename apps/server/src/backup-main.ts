/** script/backup <file>: settings as the server's, the file as the one argument. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import { writeBackup } from './backup/backup.ts';
import { readConfig } from './config.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const [file, ...others] = process.argv.slice(2);
if (file === undefined || file.startsWith('-') || others.length > 0) {
  process.stdout.write(
    'script/backup <file>: writes everything that the server needs to a new file (docs/operating.md).\n',
  );
  process.exit(file === '--help' || file === '-h' ? 0 : 2);
}

try {
  const { dataDir, databaseUrl, secretKey, logLevel } = readConfig(process.env, resolve(rootDir, 'data'));
  const log = createLogger({ name: 'backup', level: logLevel, destination: 2 });
  const { tables } = await writeBackup({ dataDir: resolve(dataDir), databaseUrl, file, log });
  const keys = secretKey === undefined ? 'the keys' : 'not the key, which is in BERTH_SECRET_KEY';
  process.stdout.write(
    `berth: ${file} holds ${tables.length} tables, the folders of local hosts, and ${keys}. Keep it as you keep passwords.\n`,
  );
} catch (error) {
  process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
