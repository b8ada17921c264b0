import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { runPeers } from '../peers.ts';
import { seed } from '../seed.ts';
import { toTaskPath, toTaskBody } from '../tasks.ts';

const CALLERS = 32;
const TERMINALS = 256;

export const createTask: Goal = {
  id: '2',
  title:
    'POST a task (HTTP, authenticated, durable, with its history and wake-up) beside enqueueing in process, 32 callers',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const { token, terminals } = await seed(database, { hosts: 4, terminalsPerHost: TERMINALS / 4 });
    const berth = await bench.startServer(database);
    const load = {
      url: berth.url,
      connections: CALLERS,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      requests: terminals.map(({ id }) => ({ method: 'POST', path: toTaskPath(id), body: toTaskBody() }) as const),
    };
    await bench.load(load);
    const figures = await repeat(bench.options.runs, async () => {
      const own = await bench.load(load);
      const peers = await runPeers(bench, { measure: 'enqueue', callers: CALLERS, seconds: bench.options.seconds });
      return {
        'Berth tasks/s': own.perSecond,
        'Berth p50 ms': own.p50,
        'Berth p99 ms': own.p99,
        ...peers,
        ratio: own.perSecond / (peers['graphile-worker perSecond'] ?? NaN),
      };
    });
    await stopProcess(berth.process);
    return figures;
  },
  judge: ({ ratio = 0 }) => [
    { what: 'creations ÷ graphile-worker addJob', value: ratio, goal: 5, moonshot: 8, direction: 'least' },
  ],
};
