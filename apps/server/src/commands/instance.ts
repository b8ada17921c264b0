/** What commands need of the server: its database, and what changes users and hosts there, without its keys. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createLogger, systemClock, type Clock } from '@berth/kit';
import { Passwords } from '../accounts/passwords.ts';
import { assertRestored } from '../backup/unfinished.ts';
import type { ServerConfig } from '../config.ts';
import { PostgresAddress } from '../db/address.ts';
import { Database } from '../db/database.ts';
import { Listener } from '../db/listener.ts';
import { assertMigrated } from '../db/migrate.ts';
import { withDatabase } from '../db/with-database.ts';
import { HostWakeups } from '../hosts/wakeups.ts';
import { Regions } from '../regions/regions.ts';
import type { SuspensionParts } from '../runs/suspension.ts';
import { Vault } from '../secrets/vault.ts';
import { StorageBudget } from '../storage/budget.ts';
import { TaskClaims } from '../tasks/claims.ts';
import { TaskEnds } from '../tasks/ends.ts';
import { TaskInbox } from '../tasks/inbox.ts';

export interface Instance extends SuspensionParts {
  config: ServerConfig;
  db: Database;
  clock: Clock;
  regions: Regions;
  passwords: Passwords;
}

/** Tasks that commands ask for have no secrets, so nobody has to give a command the keys of the server. */
class NoVault extends Vault {
  constructor() {
    super([randomBytes(32)]);
  }

  override seal(): never {
    throw new Error('a command seals no secrets');
  }

  override open(): never {
    throw new Error('a command opens no secrets');
  }
}

const openInstance = (config: ServerConfig, address: PostgresAddress, log: ReturnType<typeof createLogger>) => {
  const db = new Database({ address, log, poolSize: 2 });
  const vault = new NoVault();
  const { times } = config;
  const clock = systemClock;
  // A server counts the ends of its own tasks, and hears of work by a notification.
  const ends = new TaskEnds({ taskEnded: () => undefined }, clock);
  const wakeups = new HostWakeups(new Listener(address, log, times), db, log);
  const claims = new TaskClaims(db, { vault, log, times });
  const inbox = new TaskInbox({ db, vault, wakeups, claims, ends, clock, log });
  const storage = new StorageBudget(db, config);
  const instance = { config, db, vault, clock, ends, inbox, storage };
  return { ...instance, regions: new Regions(db, clock), passwords: new Passwords() };
};

/** Calls back with the instance of the settings; its server may run or be stopped. */
export const withInstance = async <Result>(
  { config, migrations, signal }: { config: ServerConfig; migrations: string; signal: AbortSignal },
  callback: (instance: Instance) => Promise<Result>,
): Promise<Result> => {
  const { databaseUrl, logLevel } = config;
  const dataDir = resolve(config.dataDir);
  const log = createLogger({ name: 'operator', level: logLevel, destination: 2 });
  assertRestored(dataDir);
  return withDatabase({ dataDir, databaseUrl, log, signal }, async (url) => {
    const address = new PostgresAddress(url, log);
    await address.search();
    await assertMigrated(address.url, migrations);
    const instance = openInstance(config, address, log);
    try {
      signal.throwIfAborted();
      return await callback(instance);
    } finally {
      await instance.db.close();
    }
  });
};
