/** The task engines that Berth is measured beside, each on the same machine, PostgreSQL or disk. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { spawnProcess, waitFor } from '@berth/testing/bench';
import { existsSync } from 'node:fs';
import { stopProcess, type Bench } from './bench.ts';
import type { Figures } from './goal.ts';

const POSTGRES_PEERS = ['graphile-worker', 'pg-boss'] as const;

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis)
  process.stderr.write('No redis-server here (Debian: apt-get install redis-server): BullMQ is left out.\n');

/** A Redis that syncs every write, on a socket in the bench's folder, for the time of the call. */
const withRedis = async <Value>(bench: Bench, call: (socket: string) => Promise<Value>): Promise<Value> => {
  const socket = join(bench.folder, 'redis.sock');
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const redis = spawnProcess('redis-server', [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--dir',
    bench.folder,
    ...durable,
  ]);
  try {
    await waitFor(() => existsSync(socket), { what: 'a socket of Redis' });
    return await call(socket);
  } finally {
    await stopProcess(redis);
  }
};

/** Measures all engines one after the other; each on a fresh database. */
export const runPeers = async (bench: Bench, measure: object): Promise<Figures> => {
  const figures: Figures = {};
  // A profile is of Berth alone.
  if (bench.options.profileFolder !== undefined) return figures;
  const note = (name: string, result: Record<string, number>) => {
    for (const [unit, value] of Object.entries(result)) figures[`${name} ${unit}`] = value;
  };
  for (const name of POSTGRES_PEERS) {
    const connection = await bench.createDatabase(false);
    note(name, await bench.runEngine(name, { ...measure, connection, name }));
    await bench.query(bench.postgres.url, `drop database ${new URL(connection).pathname.slice(1)} with (force)`);
  }
  if (hasRedis) {
    const bullmq = await withRedis(bench, (connection) => bench.runEngine('bullmq', { ...measure, connection }));
    note('BullMQ', bullmq);
  }
  return figures;
};
