import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listStackProcesses } from '@berth/testing/bench';
import { stopProcess, type Bench } from '../bench.ts';
import type { Figures, Goal } from '../goal.ts';
import { seed } from '../seed.ts';
import { SimulatedHost, startHosts } from '../simulated-host.ts';
import { createActive, startStack } from '../stack.ts';
import { toQuantile } from '../statistics.ts';
import { Wire } from '../wire.ts';

/** Each has a user, a rule and a channel of its own: what one channel and one rule may send is bounded. */
const TERMINALS = 50;
const HOSTS = 50;
const TERMINALS_PER_HOST = 50;
/** Between two causes. */
const PAUSE_MS = 300;
/** After its start a server alerts nobody before hosts have reported. */
const GRACE_MS = 25_000;
/** A message that has not come by then counts as that late. */
const LATEST_MS = 120_000;
const LOOPBACK = { BERTH_OUTBOUND_ALLOW: '127.0.0.1' };

/** A server of ntfy, which takes every message at once. */
const openChannel = async () => {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { topic } = JSON.parse(text) as { topic: string };
      if (!arrivals.has(topic)) arrivals.set(topic, performance.now());
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'xE73Iyuabi', event: 'message', topic }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** When the first message of each topic came. */
    arrivals,
    close: () => server.closeAllConnections() ?? server.close(),
  };
};

type Channel = Awaited<ReturnType<typeof openChannel>>;

/** Has the user of a connection told at once. */
const addRule = async (wire: Wire, channel: Channel, topic: string, when: string): Promise<void> => {
  const settings = { server_url: channel.url, topic };
  const created = { kind: 'ntfy', name: 'Bench', settings };
  const { data } = await wire.post<{ data: { id: string } }>('/v1/my/alert-channels', created);
  await wire.post('/v1/my/alert-rules', { name: 'Bench', when, for_minutes: 0, channel_ids: [data.id] });
};

/** Brings the causes about, one after the other, and waits for their messages. @returns milliseconds from each to its own */
const takeTimes = async (channel: Channel, causes: ReadonlyMap<string, () => void>): Promise<number[]> => {
  const times: number[] = [];
  const caused = new Map<string, number>();
  for (const [topic, cause] of causes) {
    caused.set(topic, performance.now());
    cause();
    await delay(PAUSE_MS);
  }
  const until = performance.now() + LATEST_MS;
  while (channel.arrivals.size < causes.size && performance.now() < until) await delay(50);
  for (const [topic, from] of caused) times.push((channel.arrivals.get(topic) ?? from + LATEST_MS) - from);
  return times;
};

const toFigures = (what: string, times: readonly number[]): Figures => ({
  [`${what}: p50 s`]: toQuantile(times, 0.5) / 1_000,
  [`${what}: p99 s`]: toQuantile(times, 0.99) / 1_000,
  [`${what}: messages that did not come`]: times.filter((ms) => ms >= LATEST_MS).length,
});

/** From SIGKILL of a sandbox terminal: the agent sees it, reports, and the server tells. */
const measureTerminals = async (bench: Bench): Promise<Figures> => {
  const channel = await openChannel();
  const { dataDir, register, stop } = await startStack(bench, LOOPBACK);
  const listPids = () => listStackProcesses(dataDir, 'terminal').map(({ pid }) => pid);
  const causes = new Map<string, () => void>();
  const known = new Set(listPids());
  for (let index = 0; index < TERMINALS; index += 1) {
    const topic = `terminal-${index}`;
    const wire = await register(topic);
    await createActive(wire, index);
    await addRule(wire, channel, topic, 'terminal_down');
    wire.close();
    const pids = listPids().filter((pid) => !known.has(pid));
    for (const pid of pids) known.add(pid);
    causes.set(topic, () => pids.forEach((pid) => process.kill(pid, 'SIGKILL')));
  }
  await delay(GRACE_MS);
  const times = await takeTimes(channel, causes);
  await stop();
  channel.close();
  return toFigures('terminal killed', times);
};

/** From the moment at which a host with fifty terminals falls silent. */
const measureHosts = async (bench: Bench): Promise<Figures> => {
  const channel = await openChannel();
  const database = await bench.createDatabase();
  const berth = await bench.startServer(database, LOOPBACK);
  const hosts: SimulatedHost[] = [];
  const causes = new Map<string, () => void>();
  for (let index = 0; index < HOSTS; index += 1) {
    const topic = `host-${index}`;
    const seeded = await seed(database, { hosts: 1, terminalsPerHost: TERMINALS_PER_HOST });
    const wire = new Wire(berth.url, seeded.token);
    await addRule(wire, channel, topic, 'host_lost');
    wire.close();
    const host = new SimulatedHost({ url: berth.url, host: seeded.hosts[0]!, slots: 8, mode: 'coalesced' });
    hosts.push(host);
    causes.set(topic, () => host.stop());
  }
  await startHosts(hosts);
  await delay(GRACE_MS);
  const times = await takeTimes(channel, causes);
  await stopProcess(berth.process);
  channel.close();
  return toFigures('host silent', times);
};

export const alerts: Goal = {
  id: '15',
  title: `from the cause to the message of an alert: ${TERMINALS} sandbox terminals killed; ${HOSTS} hosts of ${TERMINALS_PER_HOST} terminals silent`,
  measure: async (bench) => [{ ...(await measureTerminals(bench)), ...(await measureHosts(bench)) }],
  judge: (medians) => {
    const most = (what: string, goal: number, moonshot: number) =>
      ({ what, value: medians[what] ?? NaN, goal, moonshot, direction: 'most' }) as const;
    return [most('terminal killed: p99 s', 10, 5), most('host silent: p99 s', 35, 25)];
  },
};
