/** script/operator-password [e-mail]. It takes the server's settings. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import { assertRestored } from './backup/unfinished.ts';
import { readConfig } from './config.ts';
import { toPasswordNotice } from './console/banner.ts';
import { readArguments, runCommand } from './console/command.ts';
import { PostgresAddress } from './db/address.ts';
import { withDatabase } from './db/borrow.ts';
import { Database } from './db/database.ts';
import { renewOperatorPassword, type TellPassword } from './lifecycle/operator.ts';

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

const text = `script/operator-password [e-mail]: gives the operator a new password, prints it once, and revokes the operator's tokens.
The server may run or be stopped. The e-mail chooses one of several operators.

Settings are the server's: BERTH_DATA_DIR, BERTH_DATABASE_URL.
`;

const [email] = readArguments({ text, min: 0, max: 1 });

const tell: TellPassword = (made) =>
  new Promise((done, failed) => {
    process.stdout.write(toPasswordNotice(made), (error) => (error ? failed(error) : done()));
  });

await runCommand(async (signal) => {
  const { databaseUrl, logLevel, ...config } = readConfig(process.env, resolve(rootDir, 'data'));
  const dataDir = resolve(config.dataDir);
  const log = createLogger({ name: 'operator password', level: logLevel, destination: 2 });
  assertRestored(dataDir);
  await withDatabase({ dataDir, databaseUrl, log, signal }, async (url) => {
    const address = new PostgresAddress(url, log);
    await address.search();
    const db = new Database({ address, log, poolSize: 1 });
    try {
      signal.throwIfAborted();
      await renewOperatorPassword(db, email, tell);
    } finally {
      await db.close();
    }
  });
  return '  It is valid from now on. All logins and tokens of the operator have ended.\n\n';
});
