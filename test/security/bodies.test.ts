/** Bodies and queries that are made to be slow, to every route: nobody else waits long for them, and no answer is long. */
import { Agent } from 'node:http';
import { agentRoutes, publicOperations, type RouteContract } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, type Exchange } from './support/exchange.ts';
import { idsOf, toPath } from './support/route-table.ts';
import { measureStandstill } from './support/standstill.ts';
import { listWorstBodies, listWorstQueries } from './support/worst-bodies.ts';
import { createWorld, type World } from './support/world.ts';

/** Nobody is kept waiting for longer by one request. A slow route takes longer each time. */
const MAX_STANDSTILL_MS = 100;
const TRIES = 5;
const MAX_ERROR_BYTES = 8 * 1024;

let world: World;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  world = await createWorld({ without: ['runs of tasks', 'schedules', 'webhooks', 'alerts', 'messages', 'news'] });
});
afterAll(async () => {
  agent.destroy();
  await world.server.close();
});

/** What deletes, and what ends the token, come last. */
const toRank = ({ method, url }: RouteContract): number =>
  url === '/v1/auth/logout' ? 2 : Number(method === 'DELETE');

const routes = Object.entries<RouteContract>({ ...publicOperations, ...agentRoutes }).sort(
  ([, one], [, other]) => toRank(one) - toRank(other),
);

const tokenOf = ({ auth }: RouteContract): string => {
  if (auth === 'host') return world.host.credential;
  return auth === 'operator' ? world.operator.token : world.owner.token;
};

const pathOf = ({ method, url }: RouteContract): string => {
  // What is only sometimes there is never there: the body is looked at all the same.
  const names = [
    'schedule_id',
    'alert_channel_id',
    'alert_rule_id',
    'alert_id',
    'rule_id',
    'webhook_id',
    'delivery_id',
  ];
  const unknown = Object.fromEntries([...names, 'host_id'].map((name) => [name, world.taskId]));
  return toPath(`${method} ${url}`, { ...idsOf(world), ...unknown });
};

const knownValues = () => ({
  session_id: world.host.sessionId,
  terminal_id: world.terminalId,
  terminal_ids: [world.terminalId],
  task_id: world.runningTaskId,
  file_id: world.fileId,
  login: '1001',
  planned_at: '2030-01-01T00:00:00Z',
});

/** Sends a request, again where it held up others: the machine may have. @returns what is wrong with how it was taken */
const listFlaws = async (what: string, send: () => Promise<Exchange>): Promise<string[]> => {
  let standstillMs = Infinity;
  let answer: Exchange | undefined;
  for (let tries = 0; tries < TRIES && standstillMs > MAX_STANDSTILL_MS; tries += 1) {
    const measuredMs = await measureStandstill(async () => {
      answer = await send();
    });
    standstillMs = Math.min(standstillMs, measuredMs);
  }
  const { status, bytes } = answer!;
  return [
    ...(standstillMs > MAX_STANDSTILL_MS ? [`${what}: nobody was served for ${Math.round(standstillMs)} ms`] : []),
    ...(status >= 500 ? [`${what}: answered ${status}`] : []),
    ...(status >= 400 && bytes.length > MAX_ERROR_BYTES ? [`${what}: an error of ${bytes.length} bytes`] : []),
  ];
};

describe('the worst of what a route takes holds up nobody for long, and gets a short answer:', () => {
  const withBody = routes.filter(([, { method, isRawBody }]) => method !== 'GET' && isRawBody !== true);
  it.each(withBody)('body of %s', async (_name, route) => {
    const headers = { authorization: `Bearer ${tokenOf(route)}`, 'content-type': 'application/json' };
    const flaws: string[] = [];
    for (const { title, text } of listWorstBodies(route, knownValues())) {
      const outgoing = { method: route.method, path: pathOf(route), headers, body: Buffer.from(text) };
      flaws.push(...(await listFlaws(title, () => exchange(world.server.url, agent, outgoing))));
    }
    expect(flaws).toEqual([]);
  });

  const withQuery = routes.filter(([name, { method, query }]) => method === 'GET' && query && name !== 'watchEvents');
  it.each(withQuery)('query of %s', async (_name, route) => {
    const headers = { authorization: `Bearer ${tokenOf(route)}` };
    const [path] = pathOf(route).split('?');
    const flaws: string[] = [];
    for (const { title, text } of listWorstQueries(route)) {
      const outgoing = { method: 'GET', path: `${path}?${text}`, headers, body: undefined };
      flaws.push(...(await listFlaws(title, () => exchange(world.server.url, agent, outgoing))));
    }
    expect(flaws).toEqual([]);
  });
});
