/** Which terminals a stop of all algo trading would reach: hosts are asked, and switch nothing for it. */
import { randomUUID } from 'node:crypto';
import { HostStatus, TaskType, TerminalStatus, type StopReadiness } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { insertTerminals, useTestServer, TestHost, waitFor, withClient } from '@berth/testing';
import { expect, it } from 'vitest';
import { askForChecks } from '../src/tasks/switch-checks.ts';

const lines: string[] = [];
const log = createLogger({ name: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } });
const server = useTestServer({ config: { defaultPlatform: 'sandbox' }, log });

/** An account with active terminals on a host of its own. */
const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 10_000 });
  const ids = await insertTerminals(server, user.id, { hostId: host.id, count: terminals });
  const read = async () =>
    (await server.request('GET', '/v1/my/trading/stop', { token })).body.data.readiness as StopReadiness;
  const report = async (...checks: { terminal_id: string; ms?: number; problem?: string | null }[]) => {
    const body = { checks: checks.map((check) => ({ ms: 40, problem: null, ...check })) };
    return (await host.call('checks', body)).body.taken as number;
  };
  /** What the host is asked to check, by a claim that waits for tasks. */
  const claim = async (waitMs = 20_000): Promise<string[] | undefined> => {
    const answer = await host.call('claim', { slots: 1, wait_ms: waitMs });
    return answer.body.checks as string[] | undefined;
  };
  /** The same while hosts are asked, whenever the claim begins to wait. */
  const claimAsked = async (): Promise<string[]> => {
    let asked: string[] | undefined;
    let isAnswered = false;
    const claiming = claim().then((checks) => {
      asked = checks;
      isAnswered = true;
    });
    await waitFor(async () => {
      await server.query('update hosts set checks_asked_at = null where id = $1', [host.id]);
      await askForChecks(server.services.db.slow);
      return isAnswered;
    });
    await claiming;
    return asked ?? [];
  };
  const age = (interval: string) =>
    server.query(`update switch_checks set checked_at = checked_at - $2::interval where terminal_id = any($1)`, [
      ids,
      interval,
    ]);
  return { token, host, ids, read, report, claim, claimAsked, age };
};

it('a host is asked by the answer to its claim, and again an hour after it answered', async () => {
  const { ids, report, claimAsked, age } = await createOwner(3);
  expect((await claimAsked()).sort()).toEqual([...ids].sort());
  expect(await report({ terminal_id: ids[0]! }, { terminal_id: ids[1]! })).toBe(2);
  expect(await claimAsked()).toEqual([ids[2]]);
  await age('1 hour');
  expect((await claimAsked()).sort()).toEqual([...ids].sort());
});

it('a host that has nothing to check, or was asked less than half a minute ago, is left alone', async () => {
  const { host, ids, report, claim } = await createOwner(1);
  await server.query('update hosts set checks_asked_at = now() where id = $1', [host.id]);
  const first = claim(300);
  await askForChecks(server.services.db.slow);
  expect(await first).toBeUndefined();
  await report({ terminal_id: ids[0]! });
  await server.query('update hosts set checks_asked_at = null where id = $1', [host.id]);
  const second = claim(300);
  await askForChecks(server.services.db.slow);
  expect(await second).toBeUndefined();
});

it('a host gets its tasks also when what it is to check cannot be read, and is asked again', async () => {
  const { token, host, ids, claimAsked } = await createOwner(1);
  const task = { type: TaskType.EA_LOGS };
  await server.request('POST', `/v1/my/trading/terminals/${ids[0]}/tasks`, { token, body: task });
  const told = new Promise<void>((resolve) => {
    server.services.hostNews.onNews((id) => (id === host.id ? resolve() : undefined));
  });
  // The claim has found the task, and writes its lease, when the host is asked for checks.
  const claiming = await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('lock table task_leases in share mode');
    const answer = host.call('claim', { slots: 1, wait_ms: 0 });
    const isClaiming = `select 1 from pg_locks where relation = 'task_leases'::regclass and not granted`;
    await waitFor(async () => (await server.query(isClaiming)).length > 0, { what: 'the statement of the claim' });
    await client.query('alter table switch_checks rename to unreadable_checks');
    await server.query(`select pg_notify('berth_switch_checks', $1)`, [host.id]);
    await told;
    await client.query('commit');
    return { answer };
  });
  const { status, body } = await claiming.answer;
  await server.query('alter table unreadable_checks rename to switch_checks');
  expect([status, body.tasks?.length, body.checks]).toEqual([200, 1, undefined]);
  const warnings = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ hostId }) => hostId === host.id);
  expect(warnings).toHaveLength(1);
  expect(await claimAsked()).toEqual(ids);
});

it('terminals that are installed, removed or waiting are not checked, and not counted', async () => {
  const { ids, claimAsked, read } = await createOwner(3);
  await server.query(`update terminals set status = $2 where id = $1`, [ids[0], TerminalStatus.INSTALLING]);
  await server.query(`update terminals set status = $2 where id = $1`, [ids[1], TerminalStatus.DESTROYING]);
  expect(await claimAsked()).toEqual([ids[2]]);
  expect(await read()).toMatchObject({ total: 1, reached: 0, unchecked: 1 });
});

it('those that could be switched are reached, the others are named with the reason', async () => {
  const { ids, read, report } = await createOwner(4);
  expect(await read()).toEqual({
    ...{ total: 4, reached: 0, unchecked: 4, about_ms: null, checked_at: null, unreached: [] },
  });
  const problem = "The terminal's window does not answer: it hangs.";
  await report(
    { terminal_id: ids[0]!, ms: 30 },
    { terminal_id: ids[1]!, ms: 1_800 },
    { terminal_id: ids[2]!, problem },
  );
  const readiness = await read();
  expect(readiness).toMatchObject({ total: 4, reached: 2, unchecked: 1, about_ms: 1_800 });
  expect(Date.parse(readiness.checked_at!)).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(readiness.unreached).toEqual([
    { terminal_id: ids[2], name: 'T003', status: TerminalStatus.ACTIVE, reason: problem },
  ]);
});

it('terminals of a host that is offline are not reached, whatever was checked before', async () => {
  const { host, ids, read, report } = await createOwner(2);
  await report({ terminal_id: ids[0]! }, { terminal_id: ids[1]!, problem: 'The terminal shows no window.' });
  await server.query(`update hosts set status = ${HostStatus.LOST} where id = $1`, [host.id]);
  const readiness = await read();
  expect(readiness).toMatchObject({ total: 2, reached: 0, unchecked: 0, about_ms: null });
  expect(readiness.unreached.map(({ reason }) => reason)).toEqual(['Its host is offline.', 'Its host is offline.']);
});

it('a check is forgotten after two hours, and where the terminal has moved to another host', async () => {
  const { ids, read, report, age } = await createOwner(2);
  await report({ terminal_id: ids[0]! }, { terminal_id: ids[1]! });
  const other = await TestHost.enrol(server, { name: `other-${randomUUID()}` });
  await server.query('update terminals set host_id = $2 where id = $1', [ids[1], other.id]);
  expect(await read()).toMatchObject({ total: 2, reached: 1, unchecked: 1 });
  await age('2 hours');
  expect(await read()).toMatchObject({ total: 2, reached: 0, unchecked: 2 });
});

it('a host reports on its own terminals only, and no more often than every ten seconds', async () => {
  const owner = await createOwner(1);
  const stranger = await createOwner(1);
  expect(await stranger.report({ terminal_id: owner.ids[0]!, problem: 'Nothing works.' })).toBe(0);
  expect(await owner.read()).toMatchObject({ total: 1, reached: 0, unchecked: 1 });
  const twice = [{ terminal_id: owner.ids[0]! }, { terminal_id: owner.ids[0]!.toUpperCase() }];
  expect(await owner.report(...twice)).toBe(1);
  expect(await owner.report({ terminal_id: owner.ids[0]!, problem: 'Nothing works.' })).toBe(0);
  expect(await owner.read()).toMatchObject({ total: 1, reached: 1 });
  await owner.age('10 seconds');
  expect(await owner.report({ terminal_id: owner.ids[0]!, problem: 'Nothing works.' })).toBe(1);
  expect(await stranger.read()).toMatchObject({ total: 1, reached: 0, unchecked: 1, unreached: [] });
});

it('a hundred unreached terminals are named, and all are counted', async () => {
  const { ids, read, report } = await createOwner(130);
  await report(...ids.map((id) => ({ terminal_id: id, problem: 'The terminal shows no window.' })));
  const readiness = await read();
  expect(readiness).toMatchObject({ total: 130, reached: 0, unchecked: 0 });
  expect(readiness.unreached.map(({ terminal_id: id }) => id)).toEqual(ids.slice(0, 100));
});

it('what a host reports in another shape is refused, and changes nothing', async () => {
  const { host, ids, read } = await createOwner(1);
  const wrong = [
    { ms: -1, problem: null },
    { ms: 1, problem: '' },
    { ms: 1, problem: 'x'.repeat(501) },
    { ms: 1, problem: 'two\nlines' },
    { ms: 1 },
  ];
  for (const check of wrong) {
    const checks = [{ terminal_id: ids[0], ...check }];
    expect((await host.call('checks', { checks })).status, JSON.stringify(check)).toBe(422);
  }
  expect((await host.call('checks', { checks: [] })).status).toBe(422);
  expect(await read()).toMatchObject({ total: 1, reached: 0, unchecked: 1 });
});
