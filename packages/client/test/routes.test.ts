/** That the client has a method for every route that a user, an operator or a page calls. */
import { publicOperations } from '@berth/contract';
import { expect, it } from 'vitest';
import { Berth } from '../src/index.ts';

const ID = '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';

/** Calls every method with ids of its own, by a `fetch` that notes where it leads and answers nothing. */
const listCalled = async (): Promise<Set<string>> => {
  const called = new Set<string>();
  const noted = async (input: unknown, init?: { method?: string }): Promise<Response> => {
    const url = new URL(String(input));
    called.add(`${init?.method} ${url.pathname.replaceAll(ID, ':id').replaceAll('/77', '/:id')}`);
    const headers = { 'content-type': 'application/json', 'x-error-code': 'not_found' };
    return new Response('{"ok":false,"msg":"Nothing is here.","data":null}', { status: 404, headers });
  };
  const berth = new Berth({ baseUrl: 'http://127.0.0.1:1', token: '1|x', fetch: noted, maxRetries: 0 });
  const { account, operator } = berth;
  const groups = [berth.auth, account, account.tokens, account.sessions, account.notifications, berth.projects];
  const others = [
    berth.regions,
    berth.terminals,
    berth.tasks,
    berth.bulkRuns,
    berth.tradingStop,
    berth.eventLog,
    berth.schedules,
    berth.views,
    berth.trading,
    berth.webhooks,
    berth.alerts,
    berth.alerts.channels,
    berth.alerts.rules,
    berth.riskRules,
    berth.riskBreaches,
    berth.files,
    berth.auditLog,
    operator.auditLog,
    operator,
    operator.hosts,
    operator.joinTokens,
    operator.users,
    operator.invitations,
    operator.terminals,
    operator.regions,
  ];
  for (const group of [...groups, ...others] as unknown as Record<string, (...ids: unknown[]) => unknown>[]) {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(group)).filter((name) => name !== 'constructor');
    for (const name of methods) {
      const isNumbered = [account.tokens, account.sessions, operator.regions].includes(group as never);
      const id = isNumbered ? 77 : ID;
      const order = ['SCREENSHOT', { terminal_ids: [ID] }];
      const given: Record<string, unknown[]> = { bulkTasks: order, overview: [[ID]], byIds: [[ID]], create: [{}] };
      if ([operator.users, operator.terminals, operator.joinTokens].includes(group as never))
        Object.assign(given, { list: [], page: [] });
      if (group === (berth.terminals as unknown)) Object.assign(given, { list: [], page: [], counts: [] });
      if (group === (berth.trading as unknown) || group === (operator as unknown)) given.overview = [];
      if (group === (berth.bulkRuns as unknown)) given.create = order;
      if (group === (berth.tasks as unknown)) {
        const lists = { list: [ID], page: [ID], ofAccount: [], pageOfAccount: [] };
        Object.assign(given, lists, { create: [ID, 'SCREENSHOT', {}] });
      }
      const result = group[name]!(...(given[name] ?? [id, id, {}]));
      const isList = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
      await Promise.resolve(isList ? (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next() : result).catch(
        () => undefined,
      );
    }
  }
  await berth
    .events()
    .next()
    .catch(() => undefined);
  return called;
};

const routes = Object.values(publicOperations);

it('every route of the contract has its method', async () => {
  expect(routes.length).toBeGreaterThan(40);
  const called = await listCalled();
  const wanted = routes.map(({ method, url }) => `${method} ${url.replace(/:\w+/g, ':id')}`);
  expect(wanted.filter((route) => !called.has(route))).toEqual([]);
  expect([...called].filter((route) => !wanted.includes(route))).toEqual([]);
});
