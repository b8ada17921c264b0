/**
 * Input made from every route's schemas, right, nearly right and hostile: never a 500, never silence, always JSON; what is
 * refused changes nothing; and nothing that one user or host sends touches another one's objects. fuzz.slow.test.ts sends more.
 */
import { TerminalStatus } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { attackAsHost, attackAsOperator, attackAsUser } from './support/fuzz-attacks.ts';
import { attacker, attackingHost, useWorld, world } from './support/fuzzing.ts';
import { call, createActiveTerminal, createTask } from './support/world.ts';

/** Requests a route. */
const RUNS = 8;

useWorld();

describe('a user who sends anything', () => attackAsUser(RUNS));
describe('an operator who sends anything', () => attackAsOperator(RUNS));
describe('a hostile host', () => attackAsHost(RUNS));

const poison = [
  { step: 'x', data: { path: 'p'.repeat(300_000), login: 'l'.repeat(100_000), server_name: 'a\nb\0c' } },
  { step: '\0\ud800', data: { '\0': '\0', deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown } },
  { step: 'x', data: { login: '1\n[Common]\nPassword=x', server_name: '\u2028' } },
  { step: 'x', data: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index])) },
];

it('a host that reports poison poisons only its own reports: those of others in the same batch are accepted', async () => {
  const { server, owner, host } = world;
  // What was sent before may have begun another one.
  await attackingHost.startSession();
  const types = [9, 11, 9, 14] as const;
  const payloads = [{}, { server_name: 'S', name: 'N', email: 'n@example.com' }, {}, {}];
  for (const [index, { step, data }] of poison.entries()) {
    const order = { type: types[index], payload: payloads[index] };
    const terminal = await createActiveTerminal(server, attacker.token, attackingHost, 1);
    const mine = await createTask(server, attacker.token, terminal, order);
    await attackingHost.claim(50, 0);
    const steps = [{ step, ok: true, code: null, message: '\0\udfff', at: '\0', data }];
    // One with a line's end would have the whole report refused.
    const secrets = { password: 'p\0\ud800' };
    const events = [
      { kind: 'completed', at: 1, task_id: mine, fence: 1, steps, secrets },
      {
        kind: 'terminal',
        at: 2,
        terminal_id: terminal,
        status: TerminalStatus.DISCONNECTED,
        path: '\0'.repeat(1024),
      },
      { kind: 'completed', at: 3, task_id: world.runningTaskId, fence: 1, steps: [] },
      {
        kind: 'terminal',
        at: 4,
        terminal_id: world.terminalId,
        status: TerminalStatus.LOGIN_FAILED,
        reason: 'taken over',
      },
    ];
    const bad = { token: attackingHost.credential, body: { session_id: attackingHost.sessionId, events } };
    const good = { kind: 'terminal', at: 5, terminal_id: world.terminalId, status: TerminalStatus.ACTIVE } as const;
    const [answer, verdicts] = await Promise.all([
      server.request('POST', '/v1/agent/report', bad),
      host.report(good, { kind: 'started', at: 1, task_id: world.runningTaskId, fence: 1 }),
    ]);
    expect([answer.status, answer.body.verdicts]).toEqual([200, ['accepted', 'accepted', 'stale', 'stale']]);
    expect(verdicts).toEqual(['accepted', index === 0 ? 'accepted' : 'duplicate']);
    const path = `/v1/my/trading/terminals/${terminal}`;
    const shown = (await call(server, attacker.token, 'GET', path)).data;
    expect(JSON.stringify([shown.login, shown.server_name, shown.path])).not.toMatch(/\\n|\\u|.{1200}/);
    expect((await server.request('GET', `${path}/tasks/${mine}`, { token: attacker.token })).status).toBe(200);
  }
  const { data } = await call(server, owner.token, 'GET', `/v1/my/trading/terminals/${world.terminalId}`);
  expect(data).toMatchObject({ status: TerminalStatus.ACTIVE, server_name: 'Harbour-Demo', login: '1001' });
});
