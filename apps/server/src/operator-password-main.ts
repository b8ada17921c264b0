/** script/operator-password [e-mail]. It takes the server's settings. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, EXIT, runProcessCommand, type Command } from '@berth/command';
import { createLogger } from '@berth/kit';
import { assertRestored } from './backup/unfinished.ts';
import { readConfig, type ServerConfig } from './config.ts';
import { toPasswordNotice } from './console/banner.ts';
import { PostgresAddress } from './db/address.ts';
import { withDatabase } from './db/with-database.ts';
import { Database } from './db/database.ts';
import { renewOperatorPassword, type AnnouncePassword } from './accounts/operator.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const operatorPassword: Command<ServerConfig> = {
  usage: `Usage: script/operator-password [E-MAIL] [--json]

Gives the operator a new password, prints it once, and revokes the operator's tokens. The server may run or be stopped.
The e-mail chooses one of several operators.

Settings are the server's: BERTH_DATA_DIR, BERTH_DATABASE_URL.

Exit codes: 0 renewed, 1 failed, 2 wrong arguments, 78 wrong settings.
`,
  options: {},
  positionals: { min: 0, max: 1 },
  async run({ positionals: [email], settings, isJson, window, signal }) {
    const { databaseUrl, logLevel } = settings;
    const dataDir = resolve(settings.dataDir);
    const log = createLogger({ name: 'operator password', level: logLevel, destination: 2 });
    // Nobody else knows it: it becomes valid only once it was shown.
    const announce: AnnouncePassword = async (made) => {
      const text = isJson ? `${JSON.stringify({ ok: true, ...made }, null, 2)}\n` : toPasswordNotice(made);
      if (!(await window.deliver(text)))
        throw new CommandError('The new password could not be printed. The old one stays.');
    };
    assertRestored(dataDir);
    await withDatabase({ dataDir, databaseUrl, log, signal }, async (url) => {
      const address = new PostgresAddress(url, log);
      await address.search();
      const db = new Database({ address, log, poolSize: 1 });
      try {
        signal.throwIfAborted();
        await renewOperatorPassword(db, email, announce);
      } finally {
        await db.close();
      }
    });
    const text = '  It is valid from now on. All logins and tokens of the operator have ended.\n\n';
    return { exitCode: EXIT.fine, text, json: undefined };
  },
};

await runProcessCommand({
  name: 'script/operator-password',
  command: operatorPassword,
  args: process.argv.slice(2),
  environment: process.env,
  readSettings: () => readConfig(process.env, resolve(rootDir, 'data')),
  expected: [Error],
});
