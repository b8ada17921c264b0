import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { seed } from '../seed.ts';

const CONNECTIONS = 32;

export const profileRead: Goal = {
  id: '1',
  title: 'Authenticated profile read beside bare Fastify with one pipelined prepared query',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const { userId, token } = await seed(database, { hosts: 1, terminalsPerHost: 1 });
    const [berth, peer] = [await bench.startServer(database), await bench.startPeer('fastify-read', database, userId)];
    const headers = { authorization: `Bearer ${token}` };
    const own = { url: berth.url, headers, requests: [{ method: 'GET', path: '/v1/my/account/profile' }] } as const;
    const bare = { url: peer.url, headers, requests: [{ method: 'GET', path: '/profile' }] } as const;
    const measure = (load: typeof own | typeof bare) =>
      bench.load({ ...load, requests: [...load.requests], connections: CONNECTIONS });
    await measure(own);
    await measure(bare);
    const figures = await repeat(bench.options.runs, async () => {
      const [a, b] = [await measure(own), await measure(bare)];
      return {
        'Berth reads/s': a.perSecond,
        'Berth p50 ms': a.p50,
        'Berth p99 ms': a.p99,
        'bare Fastify reads/s': b.perSecond,
        'bare Fastify p99 ms': b.p99,
        ratio: a.perSecond / b.perSecond,
      };
    });
    await Promise.all([berth, peer].map((one) => stopProcess(one.process)));
    return figures;
  },
  judge: ({ ratio = 0 }) => [
    { what: 'reads ÷ bare Fastify', value: ratio, goal: 0.7, moonshot: 0.9, direction: 'least' },
  ],
};
