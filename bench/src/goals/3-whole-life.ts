import { stopProcess } from '../bench.ts';
import { repeat, type Figures, type Goal } from '../goal.ts';
import { runPeers } from '../peers.ts';
import { seed } from '../seed.ts';
import { measureWholeLife } from '../whole-life.ts';

const IN_FLIGHT = 256;
const HOSTS = 8;

export const wholeLife: Goal = {
  id: '3',
  title: 'The whole life of a no-op task over HTTP and the agent protocol, four durable states, 256 in flight',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const seeded = await seed(database, { hosts: HOSTS, terminalsPerHost: IN_FLIGHT / HOSTS });
    const berth = await bench.startServer(database);
    const servers = [{ url: berth.url, pid: berth.process.pid }];
    const shared = { servers, seeded, inFlight: IN_FLIGHT, slots: IN_FLIGHT / HOSTS };
    const figures = await repeat(bench.options.runs, async () => {
      const strict = await measureWholeLife(bench, { ...shared, mode: 'strict' });
      const coalesced = await measureWholeLife(bench, { ...shared, mode: 'coalesced' });
      const peers = await runPeers(bench, { measure: 'life', inFlight: IN_FLIGHT, seconds: bench.options.seconds });
      const named = (name: string, all: Figures) =>
        Object.fromEntries(Object.entries(all).map(([unit, value]) => [`Berth ${name} ${unit}`, value]));
      return {
        ...named('strict', strict),
        ...named('coalesced', coalesced),
        ...peers,
        ratio: (strict['tasks/s'] ?? NaN) / (peers['graphile-worker perSecond'] ?? NaN),
      };
    });
    await stopProcess(berth.process);
    return figures;
  },
  judge: ({ ratio = 0 }) => [
    { what: 'tasks ÷ graphile-worker tuned', value: ratio, goal: 4, moonshot: 6, direction: 'least' },
  ],
};
