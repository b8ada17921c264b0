/** What more hosts, more terminals and more servers cost: whole lives of tasks under each. */
import { stopProcess, type Bench } from './bench.ts';
import type { Figures } from './goal.ts';
import { countFitting } from './process-usage.ts';
import { seed, seedOthers } from './seed.ts';
import { measureWholeLife } from './whole-life.ts';

const IN_FLIGHT = 256;
const HOSTS = [10, 100, 1_000, 10_000];
const TERMINALS = [1_000, 10_000, 100_000, 1_000_000];
const SERVERS = [1, 2, 3];
/** The long poll, the heartbeat, the reports. */
const SOCKETS_PER_HOST = 3;

interface Point {
  hosts: number;
  terminals: number;
  servers: number;
  /** Whether somebody watches the live events of the tasks. */
  isWatched?: boolean;
}

/** Opens a stream of live events, and reads it to nowhere. */
const watch = async (url: string, token: string): Promise<AbortController> => {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(`${url}/v1/my/events`, { headers, signal: abort.signal });
  void body?.pipeTo(new WritableStream()).catch(() => undefined);
  return abort;
};

const measurePoint = async (
  bench: Bench,
  { hosts, terminals, servers: count, isWatched = false }: Point,
): Promise<Figures> => {
  const database = await bench.createDatabase();
  const terminalsPerHost = Math.max(1, Math.ceil(IN_FLIGHT / hosts));
  const seeded = await seed(database, { hosts, terminalsPerHost });
  const others = terminals - seeded.terminals.length;
  if (others > 0) await seedOthers(database, others);
  const started = await Promise.all(Array.from({ length: count }, () => bench.startServer(database)));
  const servers = started.map(({ url, process: { pid } }) => ({ url, pid }));
  const watching = isWatched ? await watch(servers[0]?.url ?? '', seeded.token) : undefined;
  const slots = Math.max(4, terminalsPerHost);
  const figures = await measureWholeLife(bench, { servers, seeded, inFlight: IN_FLIGHT, slots, mode: 'strict' });
  watching?.abort();
  await Promise.all(started.map((one) => stopProcess(one.process)));
  await bench.query(bench.postgres.url, `drop database ${new URL(database).pathname.slice(1)} with (force)`);
  return figures;
};

export const measureCurve = async (bench: Bench, onPoint: (name: string, figures: Figures) => void): Promise<void> => {
  const points = [
    ...HOSTS.map((hosts) => ({ hosts: countFitting(hosts, SOCKETS_PER_HOST), terminals: 0, servers: 1 })),
    ...TERMINALS.map((terminals) => ({ hosts: 10, terminals, servers: 1 })),
    ...SERVERS.map((servers) => ({ hosts: 100, terminals: 0, servers })),
    { hosts: 100, terminals: 0, servers: 1, isWatched: true },
  ];
  for (const point of points as Point[]) {
    const watched = point.isWatched ? ', watched' : '';
    const name = `${point.hosts} hosts, ${point.terminals || 'only their'} terminals, ${point.servers} server(s)${watched}`;
    onPoint(name, await measurePoint(bench, point));
  }
};
