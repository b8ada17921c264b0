import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, Lifecycle } from '@berth/kit';
import { TaskType, type DeliveredTask } from '@berth/contract';
import { AgentCalls, createServices, PostgresAddress, readConfig, type CallingHost } from '@berth/testing/bench';
import type { Bench } from '../bench.ts';
import { repeat, type Figures, type Goal } from '../goal.ts';
import { runPeers } from '../peers.ts';
import { toProvenStep } from '../tasks.ts';
import { seed, type Seeded } from '../seed.ts';

const BULK = 100;
const BULKS_IN_FLIGHT = 3;
const WARM_UP_MS = 1_500;

interface Engine {
  inbox: Awaited<ReturnType<typeof createServices>>['inbox'];
  calls: AgentCalls;
}

const CLAIM_MS = 25_000;
const connection = () => () => undefined;

/** One bulk from creation to its durable end: each of its tasks on a terminal of its own, for a host whose claim waits. */
const runBulk = async ({ inbox, calls }: Engine, seeded: Seeded, host: CallingHost, isStrict: boolean) => {
  const sessionId = host.sessionId ?? '';
  const terminals = seeded.terminals.filter(({ hostId }) => hostId === host.id);
  const order = { userId: seeded.userId, type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} };
  const tasks: DeliveredTask[] = [];
  const claimOnce = () => {
    const known = tasks.map(({ id, fence }) => ({ task_id: id, fence }));
    return calls.claim(host, sessionId, { slots: BULK - tasks.length, waitMs: CLAIM_MS, known }, connection);
  };
  const first = claimOnce();
  await Promise.all(terminals.map(({ id: terminalId }) => inbox.add({ ...order, terminalId })));
  tasks.push(...(await first));
  while (tasks.length < BULK) tasks.push(...(await claimOnce()));
  const toEvents = (kind: 'started' | 'completed') =>
    tasks.map(({ id, fence }) => ({
      ...{ kind, at: Date.now(), task_id: id, fence },
      ...(kind === 'completed' ? { steps: [toProvenStep(Date.now())] } : {}),
    }));
  if (isStrict) {
    await calls.report(host, sessionId, toEvents('started'));
    await calls.report(host, sessionId, toEvents('completed'));
  } else {
    const both = tasks.flatMap((_, index) => [toEvents('started')[index], toEvents('completed')[index]]);
    await calls.report(
      host,
      sessionId,
      both.flatMap((event) => event ?? []),
    );
  }
  return tasks.length;
};

const measureBulks = async (
  bench: Bench,
  engine: Engine,
  seeded: Seeded,
  hosts: readonly CallingHost[],
  isStrict: boolean,
): Promise<number> => {
  let count = 0;
  let isOver = false;
  const loop = async (host: CallingHost) => {
    while (!isOver) {
      const ended = await runBulk(engine, seeded, host, isStrict);
      count += ended;
    }
  };
  const loops = hosts.map((host) => loop(host));
  await delay(WARM_UP_MS);
  const from = performance.now();
  count = 0;
  await delay(bench.options.seconds * 1000);
  const perSecond = (count * 1000) / (performance.now() - from);
  isOver = true;
  await Promise.all(loops);
  return perSecond;
};

export const bulk: Goal = {
  id: '3b',
  title: 'The same in bulks of 100, in process (no HTTP), beside graphile-worker tuned',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const seeded = await seed(database, { hosts: BULKS_IN_FLIGHT, terminalsPerHost: BULK });
    const lifecycle = new Lifecycle();
    const log = createLogger({ name: 'bench', level: 'warn', destination: 2 });
    const stop = new AbortController();
    const services = await createServices(
      readConfig({}, bench.folder),
      new PostgresAddress(database, log),
      log,
      lifecycle,
      stop.signal,
    );
    const engine = { inbox: services.inbox, calls: new AgentCalls(services) };
    const hosts = seeded.hosts.map(({ id }) => ({ id, name: id, regionId: 0, sessionId: randomUUID() }));
    for (const host of hosts) {
      await engine.calls.startSession(host, { id: host.sessionId, agentVersion: 'bench', platforms: ['sandbox'] });
      await engine.calls.heartbeat(host, host.sessionId, []);
    }
    const figures = await repeat(bench.options.runs, async (): Promise<Figures> => {
      const strict = await measureBulks(bench, engine, seeded, hosts, true);
      const coalesced = await measureBulks(bench, engine, seeded, hosts, false);
      const options = { measure: 'bulk', inFlight: BULK * BULKS_IN_FLIGHT, bulk: BULK, seconds: bench.options.seconds };
      const peers = await runPeers(bench, options);
      const peer = peers['graphile-worker perSecond'] ?? NaN;
      return {
        'Berth strict tasks/s': strict,
        'Berth coalesced tasks/s': coalesced,
        ...peers,
        strict: strict / peer,
        coalesced: coalesced / peer,
      };
    });
    stop.abort();
    await lifecycle.close();
    return figures;
  },
  judge: ({ strict = 0, coalesced = 0 }) => [
    { what: 'each state acknowledged ÷ graphile-worker', value: strict, goal: 0.75, moonshot: 1, direction: 'least' },
    { what: 'coalesced ÷ graphile-worker', value: coalesced, goal: 1.3, moonshot: 2, direction: 'least' },
  ],
};
