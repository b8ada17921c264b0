import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { stopProcess } from '../bench.ts';
import { repeat, type Goal } from '../goal.ts';
import { readCpuSeconds, readResidentMb } from '../process-usage.ts';
import { seed } from '../seed.ts';
import { Wire } from '../wire.ts';

const ENDPOINTS = 10;
const EVENTS = 2_000;
/** That wait while the endpoints are away. */
const WAITING = 100_000;

/** Endpoints that answer at once, each at a port of its own. */
const openEndpoints = async () => {
  let count = 0;
  const server = () =>
    createServer((request, response) => {
      request.resume().on('end', () => {
        count += 1;
        response.writeHead(204).end();
      });
    });
  const servers = Array.from({ length: ENDPOINTS }, server);
  for (const each of servers) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  return {
    urls: servers.map((each) => `http://127.0.0.1:${(each.address() as AddressInfo).port}/`),
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
    wait: async (total: number) => {
      while (count < total) await delay(5);
    },
    close: () => servers.forEach((each) => each.closeAllConnections() ?? each.close()),
  };
};

export const webhooks: Goal = {
  id: '12',
  title: `deliveries to ${ENDPOINTS} endpoints that answer at once; memory with ${WAITING.toLocaleString('en')} that wait`,
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const users = await Promise.all(
      Array.from({ length: ENDPOINTS }, () => seed(database, { hosts: 0, terminalsPerHost: 0 })),
    );
    const berth = await bench.startServer(database, { BERTH_OUTBOUND_ALLOW: '127.0.0.1' });
    const pid = berth.process.pid;
    const endpoints = await openEndpoints();
    for (const [index, { token }] of users.entries()) {
      const body = { url: endpoints.urls[index], events: ['security.token_created'] };
      await new Wire(berth.url, token).post('/v1/my/webhooks', body);
    }
    const happen = (each: number) =>
      bench.query(
        database,
        `insert into events (user_id, type, data)
         select u.id, 'security.token_created', '{"token_id": 1, "name": "bench"}'
         from generate_series(1, ${each}) cross join users u where u.id in (select user_id from webhooks)`,
      );
    const send = async (): Promise<Record<string, number>> => {
      endpoints.take();
      const [from, cpu] = [performance.now(), readCpuSeconds(pid)];
      await happen(EVENTS);
      await endpoints.wait(EVENTS * ENDPOINTS);
      const total = EVENTS * ENDPOINTS;
      return {
        'deliveries per second': total / ((performance.now() - from) / 1000),
        'µs of the server each': ((readCpuSeconds(pid) - cpu) / total) * 1e6,
      };
    };
    await send();
    const figures = await repeat(bench.options.runs, send);
    const before = readResidentMb(pid);
    await bench.query(database, `update webhooks set paused_until = now() + interval '8 seconds'`);
    await happen(WAITING / ENDPOINTS);
    endpoints.take();
    await delay(7_000);
    const waiting = readResidentMb(pid);
    await endpoints.wait(WAITING);
    endpoints.close();
    await stopProcess(berth.process);
    return figures.map((each) => ({ ...each, 'MB before': before, 'MB with all waiting': waiting }));
  },
  judge: ({
    'deliveries per second': perSecond = NaN,
    'MB before': before = NaN,
    'MB with all waiting': waiting = NaN,
  }) => [
    { what: 'deliveries per second', value: perSecond, goal: 1_000, moonshot: 3_000, direction: 'least' },
    { what: 'memory with all waiting ÷ before', value: waiting / before, goal: 1.1, moonshot: 1, direction: 'most' },
  ],
};
