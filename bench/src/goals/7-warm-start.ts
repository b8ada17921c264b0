import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawnProcess } from '@berth/testing/bench';
import { SERVER, stopProcess, type Bench } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';

/** Everything a start needs as input, once the embedded PostgreSQL has a cluster. */
const startBerth = async (bench: Bench): Promise<number> => {
  const settings = { BERTH_PORT: '0', BERTH_LOCAL_AGENT: 'off', BERTH_DATA_DIR: join(bench.folder, 'start') };
  const from = performance.now();
  const server = spawnProcess(process.execPath, [SERVER], { env: { ...process.env, ...settings } });
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/);
  await fetch(`${url}/readyz`);
  const tookMs = performance.now() - from;
  await stopProcess(server);
  return tookMs;
};

/** The command line of a PostgreSQL that runs, to start another one on the same cluster later. */
const readCommand = (pid: number) => {
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const clusterDir = readlinkSync(`/proc/${pid}/cwd`);
  const { uid, gid } = statSync(clusterDir);
  const socketDir = args.find((arg) => arg.startsWith('unix_socket_directories='))?.split('=')[1] ?? '';
  return {
    postgres: readlinkSync(`/proc/${pid}/exe`),
    args,
    socketDir,
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  };
};

const startBare = async (bench: Bench, command: string): Promise<number> => {
  const from = performance.now();
  const peer = await bench.startPeer('fastify-start', command);
  await fetch(`${peer.url}/readyz`);
  const tookMs = performance.now() - from;
  await stopProcess(peer.process);
  return tookMs;
};

export const warmStart: Goal = {
  id: '7',
  title: 'Warm start to the first answer, beside bare Fastify + PostgreSQL',
  measure: async (bench) => {
    const settings = { BERTH_PORT: '0', BERTH_LOCAL_AGENT: 'off', BERTH_DATA_DIR: join(bench.folder, 'start') };
    const first = spawnProcess(process.execPath, [SERVER], { env: { ...process.env, ...settings } });
    await first.waitForLine(/Berth is ready at/, { timeoutMs: 120_000 });
    const parent = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const postmaster = parent.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres'));
    const command = JSON.stringify(readCommand(postmaster ?? 0));
    await stopProcess(first);
    await startBerth(bench);
    await startBare(bench, command);
    return repeat(bench.options.runs * 2, async () => {
      const [own, bare] = [await startBerth(bench), await startBare(bench, command)];
      return { 'Berth ms': own, 'bare ms': bare, ratio: own / bare };
    });
  },
  judge: ({ ratio = NaN }) => [{ what: 'start ÷ bare', value: ratio, goal: 1.5, moonshot: 1.2, direction: 'most' }],
};
