/** script/restore <file>. It takes the server's settings. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, runProcessCommand, type Command } from '@berth/command';
import { createLogger } from '@berth/kit';
import { restoreBackup } from './backup/restore.ts';
import { readConfig, type ServerConfig } from './config.ts';

const appDir = fileURLToPath(new URL('..', import.meta.url));

const restore: Command<ServerConfig> = {
  usage: `Usage: script/restore FILE [--json]

Makes a new data directory (BERTH_DATA_DIR) from a backup, with an embedded database or, with BERTH_DATABASE_URL, in an
empty one of yours. If a restoration was interrupted, the same command begins it anew.

Exit codes: 0 restored, 1 failed, 2 wrong arguments, 78 wrong settings. All about backups: docs/operating.md
`,
  options: {},
  positionals: { min: 1, max: 1 },
  async run({ positionals: [file = ''], settings, signal }) {
    const { databaseUrl, logLevel } = settings;
    const log = createLogger({ name: 'restore', level: logLevel, destination: 2 });
    const dataDir = resolve(settings.dataDir);
    const migrations = resolve(appDir, 'migrations');
    const { manifest, hasKeys } = await restoreBackup({
      dataDir,
      databaseUrl,
      file: resolve(file),
      migrations,
      log,
      signal,
    });
    const keys = hasKeys ? '' : ' The keys were not in it: set BERTH_SECRET_KEY as before.';
    return {
      exitCode: EXIT.fine,
      text: `berth: ${dataDir} is as of ${manifest.made_at}.${keys} Start the server on it.\n`,
      json: { ok: true, data_dir: dataDir, made_at: manifest.made_at, has_keys: hasKeys },
    };
  },
};

await runProcessCommand({
  name: 'script/restore',
  command: restore,
  args: process.argv.slice(2),
  environment: process.env,
  readSettings: () => readConfig(process.env, resolve(appDir, '../../data')),
  expected: [Error],
});
