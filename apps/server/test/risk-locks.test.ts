/** Locks of risk rules: when they end by themselves, and what an unlock by a person does. */
import type { RiskRule } from '@berth/contract';
import { startTestServer, TestHost, waitFor, withClient } from '@berth/testing';
import { expect, it } from 'vitest';
import { endLocks, toLock } from '../src/risk/lock-ends.ts';
import { toLocked, toMarks, toState, useRiskScene } from './support/risk-scene.ts';

const config = { secretKey: 'a1'.repeat(32) };
const { server, who, ...scene } = useRiskScene({ config, without: ['ends of locks'] });
const { createTerminal, createRule, request, report, readGuarded, lock, readLock, unlock, listUnlocks } = scene;

const LOCKS = ['close_all', 'lock'];
const untilNextDay = { lock_until: 'next_day', time_zone: 'Europe/Prague' };
const endDue = () => {
  const { db, log } = server.services;
  return endLocks({ db, log, stopping: new AbortController().signal });
};
const makeDue = (terminalIds: string[]) =>
  server.query(`update terminals set lock_ends_at = now() - interval '3 months' where id = any($1)`, [terminalIds]);
const createLocked = async (settings: object) => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, LOCKS, settings);
  return { terminal, rule, breach: await lock(terminal, rule.id) };
};

const rule = { rule_name: 'Daily loss', lock_until: 'next_day', day_starts: '00:00', time_zone: 'Europe/Prague' };
const endOf = (decided_at: string, changes: Partial<typeof rule> = {}) =>
  toLock({ ...rule, ...changes, decided_at }).endsAt?.toISOString();

it.each([
  ['of a day of 25 hours is after all of them', '2026-10-24T22:00:00Z', {}, '2026-10-25T23:00:00.000Z'],
  ['of a day of 25 hours is the same in its last second', '2026-10-25T22:59:59Z', {}, '2026-10-25T23:00:00.000Z'],
  ['of a day of 23 hours is after them', '2026-03-28T23:00:00Z', {}, '2026-03-29T22:00:00.000Z'],
  [
    'comes at the hour at which the days of the rule begin',
    '2026-11-23T21:59:59Z',
    { day_starts: '17:00', time_zone: 'America/New_York' },
    '2026-11-23T22:00:00.000Z',
  ],
  ['that only a person brings is at no time', '2026-11-23T10:00:00Z', { lock_until: 'unlocked' }, undefined],
])('the end of a lock %s', (_title, decidedAt, changes, expected) => {
  expect(endOf(decidedAt, changes)).toBe(expected);
});

it('a clock of a host that is years ahead prolongs no lock', async () => {
  const terminal = await createTerminal();
  const { id } = await createRule(terminal, LOCKS, untilNextDay);
  await lock(terminal, id, { decided_at: Date.parse('2199-01-01T00:00:00Z') });
  const { endsAt } = await readLock(terminal);
  expect(Date.parse(endsAt!) - Date.now()).toBeLessThan(26 * 3_600_000);
});

it('a lock that ends by itself says when, and ends then, though not before', async () => {
  const { terminal, breach } = await createLocked(untilNextDay);
  const { reason, endsAt } = await readLock(terminal);
  const expected = toLock({ ...rule, decided_at: new Date(breach.decided_at).toISOString() });
  expect({ reason, endsAt }).toEqual({ reason: expected.reason, endsAt: expected.endsAt!.toISOString() });
  expect(reason).toMatch(
    /^The risk rule "Daily loss" was breached\. The lock ends by itself at \d{4}-\d\d-\d\d 00:00 /,
  );
  await endDue();
  expect((await readLock(terminal)).reason).toBe(reason);
  await makeDue([terminal]);
  const before = await readGuarded(terminal);
  await endDue();
  expect(await readLock(terminal)).toEqual({ reason: null, endsAt: null });
  const after = await readGuarded(terminal);
  expect(after.released).toEqual([breach.id]);
  expect(after.version).toBeGreaterThan(before.version);
  // Its marks stay: nobody wanted it to begin anew.
  expect(after.rules.get(breach.rule_id)).not.toHaveProperty('reset');
  const [row] = await server.query('select release from risk_breaches where id = $1', [breach.id]);
  expect(row!.release).toMatchObject({ by: null, reset_marks: false });
});

it('locks that came due while no server was up end once, at the next start, also where two servers start', async () => {
  const locked = await Promise.all(Array.from({ length: 12 }, () => createLocked(untilNextDay)));
  const terminals = locked.map(({ terminal }) => terminal);
  await makeDue(terminals);
  const database = { url: server.databaseUrl, close: () => Promise.resolve() };
  const started = await Promise.all([1, 2].map(() => startTestServer({ database, config })));
  try {
    for (const terminal of terminals) await waitFor(async () => (await readLock(terminal)).reason === null);
    // Whatever the other one had in hand is over, too.
    await endDue();
  } finally {
    for (const each of started) await each.close();
  }
  for (const terminal of terminals)
    expect(await listUnlocks(terminal)).toEqual([expect.stringContaining('ended by itself')]);
});

it('the later end of two locks counts with its reason, in whichever order they come, and a lock without an end lasts longest', async () => {
  const early = { name: 'Early', lock_until: 'next_day', time_zone: 'UTC' };
  const [first, second] = [await createTerminal(), await createTerminal()];
  const decided_at = Date.now();
  const rules = async (terminal: string, late: object): Promise<[RiskRule, RiskRule]> => [
    await createRule(terminal, LOCKS, early),
    await createRule(terminal, LOCKS, { name: 'Late', lock_until: 'next_day', ...late }),
  ];
  // The same day of UTC, which the other rule calls one that began a minute ago.
  const minute = new Date(decided_at - 60_000).toISOString().slice(11, 16);
  const late = { time_zone: 'UTC', day_starts: minute };
  const end = (day_starts: string) =>
    toLock({
      ...rule,
      day_starts,
      time_zone: 'UTC',
      decided_at: new Date(decided_at).toISOString(),
    }).endsAt!.toISOString();
  const latest = [end('00:00'), end(minute)].sort().at(-1);
  const [firstEarly, firstLate] = await rules(first, late);
  await lock(first, firstEarly.id, { decided_at });
  await lock(first, firstLate.id, { decided_at });
  const [secondEarly, secondLate] = await rules(second, late);
  await lock(second, secondLate.id, { decided_at });
  await lock(second, secondEarly.id, { decided_at });
  for (const terminal of [first, second]) {
    const { reason, endsAt } = await readLock(terminal);
    expect(endsAt).toBe(latest);
    expect(reason).toContain(latest!.slice(0, 10));
  }
  const forever = await createRule(first, LOCKS, { name: 'For ever' });
  await lock(first, forever.id);
  expect(await readLock(first)).toEqual({ reason: 'The risk rule "For ever" was breached.', endsAt: null });
  const again = await createRule(first, LOCKS, early);
  await lock(first, again.id);
  expect(await readLock(first)).toEqual({ reason: 'The risk rule "For ever" was breached.', endsAt: null });
});

it('a lock that is prolonged as its time comes stays, and nothing of it is released', async () => {
  const { terminal } = await createLocked(untilNextDay);
  await makeDue([terminal]);
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(`update terminals set lock_ends_at = now() + interval '1 day' where id = $1`, [terminal]);
    const ended = endDue();
    await waitFor(async () => {
      const [row] = await server.query(
        `select count(*)::integer as total from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return (row!.total as number) > 0;
    });
    await client.query('commit');
    await ended;
  });
  expect((await readLock(terminal)).reason).not.toBeNull();
  expect((await readGuarded(terminal)).released).toEqual([]);
  expect(await listUnlocks(terminal)).toEqual([]);
});

it('a person can unlock a terminal before its lock ends by itself, and that is the only end of it', async () => {
  const { terminal, breach } = await createLocked(untilNextDay);
  expect((await unlock(terminal)).status).toBe(200);
  expect(await readLock(terminal)).toEqual({ reason: null, endsAt: null });
  // The host goes on with what it began: that locks nothing anew.
  await report({ breaches: [{ ...breach, actions: toLocked(), closed: 2 }] });
  await report({ breaches: [{ ...breach, actions: toLocked(), closed: 2, phase: 'ended', has_ended: true }] });
  await endDue();
  expect(await readLock(terminal)).toEqual({ reason: null, endsAt: null });
  expect(await listUnlocks(terminal)).toEqual(['talked to the trader']);
  const [row] = await server.query('select release from risk_breaches where id = $1', [breach.id]);
  expect(row!.release).toEqual({
    by: { user_id: who.id, token_id: Number(who.token.split('|')[0]), is_session: false },
    ...{ reason: 'talked to the trader', reset_marks: false },
  });
});

const readReset = async (terminal: string, ruleId: string, by?: TestHost) =>
  (await readGuarded(terminal, by)).rules.get(ruleId)?.reset;

it('an unlock with reset_marks lets the rules that locked the terminal begin anew: their host gets the breach until it has done so, and after that', async () => {
  const { terminal, rule, breach } = await createLocked({});
  const other = await createRule(terminal, ['close_all']);
  await report({ states: [toState(terminal, rule.id, { marks: toMarks(breach.id) })] });
  const { version } = await readGuarded(terminal);
  expect(await readReset(terminal, rule.id)).toBeUndefined();
  expect((await unlock(terminal, { reset_marks: true })).status).toBe(200);
  expect((await readGuarded(terminal)).version).toBeGreaterThan(version);
  expect(await readReset(terminal, rule.id)).toBe(breach.id);
  expect(await readReset(terminal, other.id)).toBeUndefined();
  const marks = toMarks(null, { reset: breach.id, source: 'reset' });
  await report({ states: [toState(terminal, rule.id, { marks })] });
  expect((await readGuarded(terminal)).rules.get(rule.id)).toMatchObject({
    reset: breach.id,
    marks: { reset: breach.id },
  });
  // The next breach, and the next unlock.
  const next = await lock(terminal, rule.id);
  await unlock(terminal, { reset_marks: true });
  expect(await readReset(terminal, rule.id)).toBe(next.id);
});

it('an unlock with reset_marks is kept where the terminal moves to another host before the rule has begun anew', async () => {
  const { terminal, rule, breach } = await createLocked({});
  await readGuarded(terminal);
  await unlock(terminal, { reset_marks: true });
  const second = await TestHost.enrol(server, { name: 'second' });
  await server.query('update terminals set host_id = $2 where id = $1', [terminal, second.id]);
  await report({ states: [toState(terminal, rule.id, { marks: toMarks(null) })] }, second);
  expect(await readReset(terminal, rule.id, second)).toBe(breach.id);
});

it('an unlock with reset_marks is refused where the agent of the host cannot do it, and the terminal stays locked', async () => {
  const { terminal, rule } = await createLocked({});
  const tryIt = () => unlock(terminal, { reset_marks: true });
  const agents = [undefined, 2, 3];
  for (const settings of agents) {
    // As an agent of before that has not read rules from this server yet.
    if (settings === undefined) await server.query('update host_risk_versions set settings = null');
    else await readGuarded(terminal, who.host, settings);
    const { status, headers } = await tryIt();
    if (settings === 3) expect(status).toBe(200);
    else expect([settings, status, headers.get('x-error-code')]).toEqual([settings, 409, 'agent_too_old']);
    expect((await readLock(terminal)).reason === null).toBe(settings === 3);
  }
  expect(await readReset(terminal, rule.id)).toBeDefined();
});

it('an unlock with reset_marks does nothing at a terminal that is not locked, also with an agent of before', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all']);
  await report({ states: [toState(terminal, rule.id, { marks: toMarks(null) })] });
  await readGuarded(terminal, who.host, 1);
  expect((await unlock(terminal, { reset_marks: true })).status).toBe(200);
  expect(await readReset(terminal, rule.id)).toBeUndefined();
  expect(await listUnlocks(terminal)).toEqual([]);
});

it('an unlock with reset_marks asks nothing of a rule that was deleted while it acted', async () => {
  const { terminal, rule } = await createLocked({});
  await readGuarded(terminal);
  await request('DELETE', `risk-rules/${rule.id}`);
  expect((await unlock(terminal, { reset_marks: true })).status).toBe(200);
  expect((await readLock(terminal)).reason).toBeNull();
  expect(await server.query('select 1 from risk_states where rule_id = $1', [rule.id])).toEqual([]);
});
