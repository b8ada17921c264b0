/** Attacks by everybody who may send something: for `describe`. */
import { agentRoutes, payloadSchemas, publicOperations, taskRoutes, TaskType, taskTypes } from '@berth/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { attacker, attackingHost, fuzz, id, ids, named, own, token, victim, world } from './fuzzing.ts';
import { hostileText, toObject, type Overrides } from './hostile.ts';
import { call } from './world.ts';

/** Among this many payloads of a type, some are valid. */
const SOME_ARE_RIGHT = 100;

/** @param runsPerRoute requests a route */
export const attackAsUser = (runsPerRoute: number): void => {
  const routes = named(publicOperations).filter(({ route }) => route.auth !== 'operator' && route.tag !== 'Events');

  it.each(routes)(
    'to $name gets a sound answer, changes nothing by what is refused, and reaches nobody else',
    async ({ route }) => {
      const before = await victim();
      const runs = /auth|password/.test(route.url) ? Math.ceil(runsPerRoute / 2) : runsPerRoute;
      if (route.url.endsWith('/logout')) {
        const login = async () =>
          (await call(world.server, attacker.token, 'POST', '/v1/my/account/tokens', { name: 'out' })).data
            .token as string;
        const tokens = await Promise.all(Array.from({ length: runs + 1 }, login));
        await fuzz({ route, token: () => tokens.pop() ?? '' }, runs);
      } else await fuzz({ route, token: () => token }, runs);
      expect(await victim()).toBe(before);
    },
  );

  it.each(taskTypes)('as a payload of task type %i gets a sound answer and reaches nobody else', async (type) => {
    const before = await victim();
    const payload = toObject(payloadSchemas[type], ids);
    const body = fc.record({ type: fc.constant(type), payload });
    const overrides = { ...ids, terminal_id: fc.constant(null).map(() => own.terminalId) };
    // Most are refused, by one field or another, so there are more of them.
    const attack = { route: taskRoutes.createTask, token: () => token, overrides, body };
    const runs = runsPerRoute * 4;
    const statuses = await fuzz(attack, runs);
    const taken = statuses.get(type === TaskType.TERMINAL_DESTROY ? 403 : 200) ?? 0;
    if (runs >= SOME_ARE_RIGHT) expect(taken).toBeGreaterThan(0);
    expect(await victim()).toBe(before);
  });
};

export const attackAsOperator = (runsPerRoute: number): void => {
  it.each(named(publicOperations).filter(({ route }) => route.auth === 'operator'))(
    'to $name gets a sound answer',
    async ({ route }) => {
      await fuzz({ route, token: () => world.operator.token }, runsPerRoute);
    },
  );
};

export const attackAsHost = (runsPerRoute: number): void => {
  const session = fc.constant(null).map(() => attackingHost.sessionId);
  const hostIds: Overrides = {
    ...ids,
    task_id: id(
      () => own.heldTaskId,
      () => world.runningTaskId,
    ),
    session_id: fc.oneof({ weight: 9, arbitrary: session }, { weight: 1, arbitrary: hostileText }),
    wait_ms: fc.constantFrom(0, 1, 0, -1, 25_001, 0.5),
    fence: fc.constantFrom(1, 1, 1, 2, 0, 1_000_000),
    platforms: fc.constant(['sandbox']),
    join_token: fc.oneof(
      hostileText,
      fc.constant(null).map(() => attackingHost.credential),
    ),
  };

  it.each(named(agentRoutes))(
    'that sends anything to $name gets a sound answer and hurts no other host',
    async ({ route }) => {
      const before = await victim();
      await fuzz({ route, token: () => attackingHost.credential, overrides: hostIds }, runsPerRoute * 2);
      expect(await victim()).toBe(before);
    },
  );
};
