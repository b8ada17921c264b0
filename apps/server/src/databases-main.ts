/** script/databases. It takes the server's settings, and changes nothing. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, runProcessCommand, toPlainText, type Command } from '@berth/command';
import { listDatabases, type DatabaseFolder } from '@berth/postgres';
import { readConfig, type ServerConfig } from './config.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const MEBIBYTE = 1024 * 1024;

const states = {
  running: 'PostgreSQL runs on it',
  stopped: 'its data directory leads to it',
  left: 'its data directory does not lead to it: it is gone, has another database, or is on a disk that is not mounted',
} as const;

const toText = ({ folder, dataDir = 'unknown', state, sizeBytes, usedAt }: DatabaseFolder): string =>
  [
    toPlainText(folder),
    `  data directory  ${toPlainText(dataDir)}`,
    `  state           ${state}: ${states[state]}`,
    `  size            ${Math.ceil(sizeBytes / MEBIBYTE)} MiB`,
    `  last used       ${usedAt.toISOString()}`,
    '',
  ].join('\n');

const toJson = ({ folder, dataDir, state, sizeBytes, usedAt }: DatabaseFolder): object => ({
  folder,
  data_directory: dataDir ?? null,
  state,
  size_bytes: sizeBytes,
  last_used_at: usedAt.toISOString(),
});

const databases: Command<ServerConfig> = {
  usage: `Usage: script/databases [--json]

Lists the database of the data directory, and those in /var/lib/berth, where servers that run as root may have theirs:
folder, data directory, size, and when each was last used. Run it as root to see those. It changes nothing.

Settings are the server's: BERTH_DATA_DIR. Where databases lie: docs/operating.md

Exit codes: 0 listed, 1 failed, 2 wrong arguments, 78 wrong settings.
`,
  options: {},
  positionals: { min: 0, max: 0 },
  run({ settings }) {
    const found = listDatabases(resolve(settings.dataDir));
    const text = found.length === 0 ? 'There is no embedded database.\n' : found.map(toText).join('\n');
    return Promise.resolve({ exitCode: EXIT.fine, text, json: { ok: true, databases: found.map(toJson) } });
  },
};

await runProcessCommand({
  name: 'script/databases',
  command: databases,
  args: process.argv.slice(2),
  environment: process.env,
  readSettings: () => readConfig(process.env, resolve(rootDir, 'data')),
  expected: [Error],
});
