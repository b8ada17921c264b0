import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { seed, seedOthers } from '../seed.ts';

const OWN = 500;
const SIZES = { small: 1_000, large: 1_000_000 };
const CONNECTIONS = 4;

/** What a dashboard asks: pages in an order, and searches, a rare one and one of two letters. */
const PATHS = {
  'page 1': '/v1/my/trading/terminals?page=1&per_page=20',
  'page by name': '/v1/my/trading/terminals?page=2&per_page=20&sort_by=name&sort_direction=asc',
  'rare search': '/v1/my/trading/terminals?page=1&per_page=20&search=terminal%20123',
  'two letters': '/v1/my/trading/terminals?page=1&per_page=20&search=te',
};

export const lists: Goal = {
  id: '6',
  title: 'Lists and searches of one user with 500 terminals, among 1,000,000 terminals and among 1,000',
  measure: async (bench) => {
    const open = async (rows: number) => {
      const database = await bench.createDatabase();
      const { token } = await seed(database, { hosts: 1, terminalsPerHost: OWN });
      await seedOthers(database, rows - OWN);
      return { ...(await bench.startServer(database)), token };
    };
    const [small, large] = [await open(SIZES.small), await open(SIZES.large)];
    const measure = ({ url, token }: typeof small, path: string) =>
      bench.load({
        url,
        connections: CONNECTIONS,
        headers: { authorization: `Bearer ${token}` },
        requests: [{ method: 'GET', path }],
      });
    const figures = await repeat(bench.options.runs, async () => {
      const all: Record<string, number> = {};
      for (const [name, path] of Object.entries(PATHS)) {
        const [a, b] = [await measure(small, path), await measure(large, path)];
        all[`${name}, 1,000: p50 ms`] = a.p50;
        all[`${name}, 1,000: p99 ms`] = a.p99;
        all[`${name}, 1,000,000: p50 ms`] = b.p50;
        all[`${name}, 1,000,000: p99 ms`] = b.p99;
        all[name] = b.p99 / a.p99;
      }
      return all;
    });
    await Promise.all([small, large].map((one) => stopProcess(one.process)));
    return figures;
  },
  judge: (medians) =>
    Object.keys(PATHS).map((name) => ({
      what: `p99 of "${name}", a million ÷ a thousand`,
      value: medians[name] ?? NaN,
      goal: 1.5,
      moonshot: 1.1,
      direction: 'most',
    })),
};
