/** A primary and its synchronous standby: two clusters of the bundled PostgreSQL, which the test kills and promotes itself. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@berth/kit';
import {
  ensureAccount,
  ensureBinaries,
  ensureCluster,
  ensureLayout,
  getPostgresPackage,
  removeLayout,
  startPostmaster,
  toUrl,
  type Postmaster,
} from '@berth/postgres/parts';
import { waitFor } from './wait-for.ts';
import { listChildren } from './stack-processes.ts';
import { withClient } from './test-database.ts';

export interface ReplicatedPostgres {
  /** Names both servers, as libpq does. */
  url: string;
  /** Each one alone. */
  primaryUrl: string;
  standbyUrl: string;
  killPrimary(): Promise<void>;
  /** Stops all its processes in place: connections stay open, but nothing is answered. It ends with `close`. */
  freezePrimary(): void;
  /** Resolves when the standby accepts writes. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

export const startReplicatedPostgres = async (): Promise<ReplicatedPostgres> => {
  const log = createLogger({ name: 'replicated PostgreSQL', level: 'warn' });
  const found = getPostgresPackage();
  const account = process.getuid?.() === 0 ? await ensureAccount() : undefined;
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'berth-pair-')));
  const [first, second] = folders.map((dataDir) => ensureLayout({ dataDir, account, log })) as [Layout, Layout];
  const binariesDir = ensureBinaries(found, first.binariesDir, account !== undefined);
  const { signal } = new AbortController();
  const { version } = found;
  await ensureCluster({ clusterDir: first.clusterDir, binariesDir, account, version, durable: true, signal });
  // A cluster that never ran is the simplest base backup of itself.
  copyCluster(first.clusterDir, second.clusterDir);
  const primaryConnection = `host=${first.socketDir} port=5432 user=berth application_name=standby`;
  appendFileSync(join(second.clusterDir, 'postgresql.auto.conf'), `primary_conninfo = '${primaryConnection}'\n`);
  writeFileSync(join(second.clusterDir, 'standby.signal'), '');
  const start = (layout: Layout): Promise<Postmaster> =>
    startPostmaster({ layout, binariesDir, account, settings: {}, signal });
  const primary = await start(first);
  const standby = await start(second);
  const [primaryUrl, standbyUrl] = [toUrl(first.socketDir), toUrl(second.socketDir)];
  await makeSynchronous(primaryUrl);
  const frozen: number[] = [];
  const hosts = [first, second].map(({ socketDir }) => `${encodeURIComponent(socketDir)}:5432`);
  return {
    url: `postgres://berth@${hosts.join(',')}/berth?sslmode=disable`,
    primaryUrl,
    standbyUrl,
    killPrimary: async () => {
      process.kill(primary.pid, 'SIGKILL');
      await primary.ended;
    },
    freezePrimary: () => {
      // The postmaster first, so that it starts no other child in the meantime.
      process.kill(primary.pid, 'SIGSTOP');
      frozen.push(primary.pid, ...listChildren(primary.pid));
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    promote: async () => {
      await withClient(standbyUrl, (client) => client.query('select pg_promote()'));
      await waitFor(() => isPrimary(standbyUrl), { what: 'the promotion' });
    },
    close: async () => {
      for (const pid of frozen) process.kill(pid, 'SIGKILL');
      await Promise.all([primary.end(), standby.end()]);
      for (const layout of [first, second]) removeLayout(layout);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
};

type Layout = ReturnType<typeof ensureLayout>;

const copyCluster = (from: string, to: string): void => {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the cluster could not be copied: ${stderr}`);
};

const isPrimary = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby');
    return rows[0]?.is_standby === false;
  });

/** From here on a commit returns when the standby has it on its disk too. */
const makeSynchronous = (primaryUrl: string): Promise<void> =>
  withClient(primaryUrl, async (client) => {
    await client.query(`alter system set synchronous_standby_names = 'standby'`);
    await client.query('select pg_reload_conf()');
    const isSynchronous = async () => {
      const { rows } = await client.query<{ sync_state: string }>('select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    };
    await waitFor(isSynchronous, { what: 'the synchronous standby' });
  });
