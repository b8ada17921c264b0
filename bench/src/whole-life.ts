/** Tasks from POST to the acknowledged end: callers over HTTP on one side, simulated hosts on the other. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import type { Figures } from './goal.ts';
import { readCpuSeconds, readTreeCpuSeconds } from './process-usage.ts';
import type { Seeded } from './seed.ts';
import { SimulatedHost, startHosts, type ReportMode } from './simulated-host.ts';
import { toQuantile } from './statistics.ts';
import { toTaskBody, toTaskPath } from './tasks.ts';
import { Wire } from './wire.ts';

const WARM_UP_MS = 2_000;

export interface WholeLifeOptions {
  /** Of each server that takes part; callers and hosts are spread over them. */
  servers: { url: string; pid: number }[];
  seeded: Seeded;
  inFlight: number;
  slots: number;
  mode: ReportMode;
}

/** @returns tasks ended a second, the latency from POST to the acknowledged end, and the processor time that a task costs */
export const measureWholeLife = async (bench: Bench, options: WholeLifeOptions): Promise<Figures> => {
  const { servers, seeded, inFlight, slots, mode } = options;
  const serverOf = (index: number) => servers[index % servers.length]?.url ?? '';
  const waiting = new Map<string, () => void>();
  const ended = new Set<string>();
  const onDone = (id: string) => {
    const resolve = waiting.get(id);
    if (resolve) resolve();
    else ended.add(id);
  };
  const hosts = seeded.hosts.map(
    (host, index) => new SimulatedHost({ url: serverOf(index), host, slots, mode, onDone }),
  );
  await startHosts(hosts);
  let isOver = false;
  let count = 0;
  let took: number[] = [];
  const body = JSON.parse(toTaskBody()) as object;
  const caller = async (index: number) => {
    const wire = new Wire(serverOf(index), seeded.token);
    // Each caller has a terminal of its own: one's tasks run one after the other.
    const terminal = seeded.terminals[Math.floor((index * seeded.terminals.length) / inFlight)];
    while (!isOver) {
      const from = performance.now();
      const { data } = await wire.post<{ data: { id: string } }>(toTaskPath(terminal?.id ?? ''), body);
      if (!ended.delete(data.id)) await new Promise<void>((resolve) => waiting.set(data.id, resolve));
      waiting.delete(data.id);
      took.push(performance.now() - from);
      count += 1;
    }
    wire.close();
  };
  const callers = Array.from({ length: inFlight }, (_, index) => caller(index));
  const failed = Promise.all(callers).then(() => undefined);
  await Promise.race([failed, delay(WARM_UP_MS)]);
  const readUsage = () => ({
    server: servers.reduce((sum, { pid }) => sum + readCpuSeconds(pid), 0),
    database: readTreeCpuSeconds(bench.postgres.pid ?? 0),
    client: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  const before = readUsage();
  const from = performance.now();
  [count, took] = [0, []];
  await Promise.race([failed, delay(bench.options.seconds * 1000)]);
  const seconds = (performance.now() - from) / 1000;
  const after = readUsage();
  const figures = {
    'tasks/s': count / seconds,
    'p50 ms': toQuantile(took, 0.5),
    'p99 ms': toQuantile(took, 0.99),
    'server µs/task': ((after.server - before.server) / count) * 1e6,
    'PostgreSQL µs/task': ((after.database - before.database) / count) * 1e6,
    'load generator µs/task': ((after.client - before.client) / count) * 1e6,
  };
  isOver = true;
  await Promise.race([failed, delay(10_000)]);
  for (const host of hosts) host.stop();
  const failure = hosts.find((host) => host.failure !== undefined)?.failure;
  if (failure !== undefined) throw new Error('a simulated host failed', { cause: failure });
  return figures;
};
