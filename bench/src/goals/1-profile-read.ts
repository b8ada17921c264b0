import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { seed } from '../seed.ts';

const CONNECTIONS = 32;
const TERMINALS = 10;

export const profileRead: Goal = {
  id: '1',
  title:
    'Authenticated profile read, and a list of ten terminals, beside bare Fastify with one pipelined prepared query',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const { userId, token } = await seed(database, { hosts: 1, terminalsPerHost: TERMINALS });
    const [berth, peer] = [await bench.startServer(database), await bench.startPeer('fastify-read', database, userId)];
    const headers = { authorization: `Bearer ${token}` };
    const own = { url: berth.url, headers, requests: [{ method: 'GET', path: '/v1/my/account/profile' }] } as const;
    const bare = { url: peer.url, headers, requests: [{ method: 'GET', path: '/profile' }] } as const;
    const list = { ...own, requests: [{ method: 'GET', path: '/v1/my/trading/terminals' }] } as const;
    const measure = (load: typeof own | typeof list | typeof bare) =>
      bench.load({ ...load, requests: [...load.requests], connections: CONNECTIONS });
    await measure(own);
    await measure(list);
    await measure(bare);
    const figures = await repeat(bench.options.runs, async () => {
      const [a, b, c] = [await measure(own), await measure(bare), await measure(list)];
      return {
        'Berth reads/s': a.perSecond,
        'Berth p50 ms': a.p50,
        'Berth p99 ms': a.p99,
        'bare Fastify reads/s': b.perSecond,
        'bare Fastify p99 ms': b.p99,
        'Berth lists/s': c.perSecond,
        'Berth lists p99 ms': c.p99,
        ratio: a.perSecond / b.perSecond,
        lists: c.perSecond / b.perSecond,
      };
    });
    await Promise.all([berth, peer].map((one) => stopProcess(one.process)));
    return figures;
  },
  judge: ({ ratio = 0, lists = 0 }) => [
    { what: 'reads ÷ bare Fastify', value: ratio, goal: 0.85, moonshot: 0.95, direction: 'least' },
    { what: 'lists of ten terminals ÷ bare Fastify', value: lists, goal: 0.4, moonshot: 0.6, direction: 'least' },
  ],
};
