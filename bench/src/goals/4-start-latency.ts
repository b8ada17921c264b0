import { TaskType } from '@berth/contract';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AttemptJournal } from '@berth/testing/bench';
import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { runPeers } from '../peers.ts';
import { seed } from '../seed.ts';
import { SimulatedHost } from '../simulated-host.ts';
import { toQuantile } from '../statistics.ts';
import { toTaskBody, toTaskPath } from '../tasks.ts';
import { Wire } from '../wire.ts';

const TIMES = 200;

/** Posts now and then, and notes how long after the POST was sent the start came. */
const measureStarts = async (post: () => Promise<unknown>, onStart: (listener: () => void) => void) => {
  const took: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    await delay(20 + (index % 7));
    const start = new Promise<number>((resolve) => onStart(() => resolve(performance.now())));
    const from = performance.now();
    await post();
    took.push((await start) - from);
  }
  return { p50: toQuantile(took, 0.5), p99: toQuantile(took, 0.99) };
};

export const startLatency: Goal = {
  id: '4',
  title: 'POST sent → its handler may start on an idle host, beside a raw POST + insert + NOTIFY + push',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const seeded = await seed(database, { hosts: 1, terminalsPerHost: 50 });
    const berth = await bench.startServer(database);
    const raw = await bench.startPeer('raw-dispatch', database);
    let started = () => {};
    const journal = await AttemptJournal.open({ path: join(bench.folder, 'journal') });
    // As the agent does: what was delivered is on disk before it starts.
    const accept = async (id: string) => {
      await journal.append([
        { kind: 'accepted', taskId: id, fence: 1, type: TaskType.MARKET_WATCH_SHOW_ALL, terminalId: id },
      ]);
      started();
    };
    const [host] = seeded.hosts;
    if (!host) throw new Error('no host was seeded');
    const agent = new SimulatedHost({ url: berth.url, host, slots: 8, mode: 'coalesced', onDelivered: accept });
    await agent.start();
    get(`${raw.url}/agent`, (response) => response.on('data', () => started()));
    const [wire, rawWire] = [new Wire(berth.url, seeded.token), new Wire(raw.url, '')];
    const body = JSON.parse(toTaskBody()) as object;
    const listen = (listener: () => void) => (started = listener);
    let turn = 0;
    const post = () => wire.post(toTaskPath(seeded.terminals[(turn += 1) % 50]?.id ?? ''), body);
    const figures = await repeat(bench.options.runs, async () => {
      const own = await measureStarts(post, listen);
      const limit = await measureStarts(() => rawWire.post('/tasks', body), listen);
      const peers = await runPeers(bench, { measure: 'latency', times: TIMES });
      return {
        'Berth p50 ms': own.p50,
        'Berth p99 ms': own.p99,
        'raw p50 ms': limit.p50,
        'raw p99 ms': limit.p99,
        ...peers,
        p50: own.p50 / limit.p50,
        p99: own.p99 / limit.p99,
      };
    });
    agent.stop();
    await journal.close();
    await Promise.all([berth, raw].map((one) => stopProcess(one.process)));
    return figures;
  },
  judge: ({ p50 = NaN, p99 = NaN }) => [
    { what: 'p50 ÷ raw', value: p50, goal: 2, moonshot: 1.3, direction: 'most' },
    { what: 'p99 ÷ raw', value: p99, goal: 2, moonshot: 1.3, direction: 'most' },
  ],
};
