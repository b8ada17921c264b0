/**
 * Would anybody notice a route that asks for less? Each right that the contract demands is taken away in the running server,
 * one at a time, and a caller who lacks it calls: refused before, let in while it is gone.
 */
import { abilities, taskCatalogue, TaskType, type Ability, type RouteContract } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { routes } from '../house/contract-routes.ts';
import { call, type Account } from './support/world.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let operator: Account;
let user: Account;
/** The operator's, by the one right that each lacks. */
const tokensWithout = {} as Record<Ability, string>;

beforeAll(async () => {
  operator = await server.registerOperator();
  user = await server.register('User');
  for (const ability of abilities) {
    const body = { name: `without ${ability}`, abilities: abilities.filter((one) => one !== ability) };
    const { data } = await call(server, operator.token, 'POST', '/v1/my/account/tokens', body);
    tokensWithout[ability] = data.token;
  }
});

/** The code of a refusal, after the head of the answer: one that streams events has no end. */
const findRefusal = async (
  { method, url }: Pick<RouteContract, 'method' | 'url'>,
  token: string,
  body?: object,
): Promise<string | null> => {
  const path = url.replace(':token_id', '999999999').replace(/:\w+/g, UNKNOWN_ID);
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const options = body ? { body: JSON.stringify(body) } : {};
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...options });
  await answer.body?.cancel();
  return answer.status === 403 ? answer.headers.get('x-error-code') : null;
};

/** Runs the callback while the object has another value there. */
const withChanged = async <Target extends object>(
  target: Target,
  change: Partial<Target>,
  callback: () => Promise<string | null>,
): Promise<string | null> => {
  const original = { ...target };
  Object.assign(target, change);
  try {
    return await callback();
  } finally {
    Object.assign(target, original);
  }
};

const withAbility = routes.filter(({ route }) => route.ability !== undefined);
const ofOperators = routes.filter(({ route }) => route.auth === 'operator');

it('a right that is taken away is demanded by every route of users and operators, but for the end of a session', () => {
  const without = routes.filter(({ route }) => /user|operator/.test(route.auth) && route.ability === undefined);
  expect(without.map(({ name }) => name)).toEqual(['authRoutes.logout']);
  expect(ofOperators.length).toBeGreaterThan(0);
});

it.each(withAbility)('a right that is taken away is required: the ability of $name', async ({ route }) => {
  const look = () => findRefusal(route, tokensWithout[route.ability!]);
  expect(await look()).toBe('missing_ability');
  expect(await withChanged<{ ability?: Ability | undefined }>(route, { ability: undefined }, look)).toBeNull();
  expect(await look()).toBe('missing_ability');
});

it.each(ofOperators)('a right that is taken away is only for operators: $name', async ({ route }) => {
  const look = () => findRefusal(route, user.token);
  expect(await look()).toBe('operator_only');
  expect(await withChanged(route, { auth: 'user' }, look)).toBeNull();
});

it('a right that is taken away is required: the further ability of TERMINAL_DESTROY', async () => {
  const route = { method: 'POST', url: '/v1/my/trading/terminals/:terminal_id/tasks' } as const;
  const look = () => findRefusal(route, tokensWithout.delete, { type: TaskType.TERMINAL_DESTROY });
  const definition: { ability?: Ability | undefined } = taskCatalogue[TaskType.TERMINAL_DESTROY];
  expect(await look()).toBe('missing_ability');
  expect(await withChanged(definition, { ability: undefined }, look)).toBeNull();
});
