import { setTimeout as delay } from 'node:timers/promises';
import { stopProcess } from '../bench.ts';
import type { Goal } from '../goal.ts';
import { countFitting, readCpuSeconds, readResidentMb, readTreeCpuSeconds } from '../process-usage.ts';
import { seed } from '../seed.ts';
import { SimulatedHost, startHosts } from '../simulated-host.ts';

const HOSTS = 10_000;
/** The long poll and the heartbeat. */
const SOCKETS_PER_HOST = 2;
const SETTLE_MS = 15_000;
const WATCH_MS = 30_000;

export const connectedHosts: Goal = {
  id: '5',
  title: '10,000 connected hosts on one server: a long poll each, a heartbeat each 5 s',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const count = countFitting(HOSTS, SOCKETS_PER_HOST);
    const seeded = await seed(database, { hosts: count, terminalsPerHost: 1 });
    const berth = await bench.startServer(database);
    const { pid } = berth.process;
    await delay(3_000);
    const emptyMb = readResidentMb(pid);
    const hosts = seeded.hosts.map((host) => new SimulatedHost({ url: berth.url, host, slots: 4, mode: 'strict' }));
    const startedAt = performance.now();
    await startHosts(hosts);
    const startSeconds = (performance.now() - startedAt) / 1000;
    await delay(SETTLE_MS);
    const [server, database0, from] = [
      readCpuSeconds(pid),
      readTreeCpuSeconds(bench.postgres.pid ?? 0),
      performance.now(),
    ];
    await delay(WATCH_MS);
    const seconds = (performance.now() - from) / 1000;
    const figures = {
      hosts: count,
      'kB per host': ((readResidentMb(pid) - emptyMb) * 1024) / count,
      'core of the server': (readCpuSeconds(pid) - server) / seconds,
      'core of PostgreSQL': (readTreeCpuSeconds(bench.postgres.pid ?? 0) - database0) / seconds,
      'resident MB': readResidentMb(pid),
      'seconds until all had come': startSeconds,
      'requests sent again': hosts.reduce((sum, { repeats }) => sum + repeats, 0),
      'hosts that failed': hosts.filter((host) => host.failure !== undefined).length,
    };
    const failure = hosts.find((host) => host.failure !== undefined)?.failure;
    if (failure instanceof Error) process.stderr.write(`One that failed: ${failure.message}\n`);
    for (const host of hosts) host.stop();
    await stopProcess(berth.process);
    return [figures];
  },
  judge: (medians) => [
    { what: 'kB of memory per host', value: medians['kB per host'] ?? NaN, goal: 20, moonshot: 8, direction: 'most' },
    {
      what: 'share of a core',
      value: medians['core of the server'] ?? NaN,
      goal: 0.3,
      moonshot: 0.15,
      direction: 'most',
    },
  ],
};
