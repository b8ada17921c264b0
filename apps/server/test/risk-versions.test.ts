/** Versions of risk rules: who changed what, what a breach was decided by, and that what it asked for is done. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RiskRule, RiskState } from '@berth/contract';
import { createTestDatabase, withClient } from '@berth/testing';
import { expect, it } from 'vitest';
import { listRuleVersions, MAX_RULE_VERSIONS, type RuleVersion } from '../src/risk/rule-versions.ts';
import { toLocked, toBreach, toMarks, toState, useRiskScene } from './support/risk-scene.ts';

const { server, who, createTerminal, createRule, send, request, report, readGuarded, readLock, readBreach } =
  useRiskScene();
const LOCKS = ['close_all', 'lock'];
const list = (ruleId: string, userId = who.id): Promise<RuleVersion[]> =>
  listRuleVersions(server.services.db, userId, ruleId);
const change = (ruleId: string, changes: object) => request<RiskRule>('PATCH', `risk-rules/${ruleId}`, changes);

it('each change of a rule is a version that is kept with who made it, and a change that changes nothing is none', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, LOCKS, { buffer: '0.00' });
  expect(rule.version).toBe(1);
  const { version } = await readGuarded(terminal);
  const same = {
    amount: '250',
    buffer: '0.000',
    actions: ['lock', 'close_all'],
    terminal_ids: [terminal.toUpperCase()],
  };
  expect(await change(rule.id, same)).toEqual(rule);
  expect((await readGuarded(terminal)).version).toBe(version);
  expect((await change(rule.id, { percent: 3 })).version).toBe(2);
  const guarded = await readGuarded(terminal);
  expect(guarded.rules.get(rule.id)?.version).toBe(2);
  await request('DELETE', `risk-rules/${rule.id}`);
  const actor = { user_id: who.id, token_id: Number(who.token.split('|')[0]), is_session: false };
  expect(await list(rule.id)).toMatchObject([
    { version: 1, actor, rule: { amount: '250', percent: null, actions: LOCKS, terminal_ids: [terminal] } },
    { version: 2, actor, rule: { amount: null, percent: 3 } },
    { version: 3, actor, rule: null },
  ]);
});

it('a change by a browser is kept as one of its session', async () => {
  const { user } = await server.register('Browser');
  const body = { email: user.email, password: user.password, session: true };
  const answer = await server.request('POST', '/v1/auth/login', { body });
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  const headers = { cookie, 'x-berth-csrf': answer.body.data.csrf_token as string };
  const rule = { name: 'All', kind: 'max_positions', amount: '3', all: true, actions: ['notify'] };
  const created = await server.request('POST', '/v1/my/risk-rules', { headers, body: rule });
  const [first] = await list((created.body.data as RiskRule).id, user.id);
  expect(first?.actor).toEqual({ user_id: user.id, token_id: expect.any(Number) as number, is_session: true });
});

it('the versions of a rule are read in the name of its owner alone', async () => {
  const rule = await createRule(await createTerminal(), LOCKS);
  const { user } = await server.register('Stranger');
  expect(await list(rule.id, user.id)).toEqual([]);
  expect(await list(rule.id)).toHaveLength(1);
});

it('a rule that a program changes for ever keeps its newest versions', async () => {
  const rule = await createRule(await createTerminal(), LOCKS);
  await server.query(
    `insert into risk_rule_versions (rule_id, version) select $1, n from generate_series(2, ${MAX_RULE_VERSIONS}) as n`,
    [rule.id],
  );
  await server.query(`update risk_rules set version = ${MAX_RULE_VERSIONS} where id = $1`, [rule.id]);
  await change(rule.id, { amount: '300' });
  const versions = (await list(rule.id)).map(({ version }) => version);
  expect([versions[0], versions.length, versions.at(-1)]).toEqual([2, MAX_RULE_VERSIONS, MAX_RULE_VERSIONS + 1]);
});

it('rules that are older than their versions have their first from the upgrade on, as it would have been kept', async () => {
  const folder = join(import.meta.dirname, '../migrations');
  const files = readdirSync(folder).sort();
  const at = files.findIndex((name) => name.startsWith('000026'));
  const database = await createTestDatabase();
  try {
    await withClient(database.url, async (client) => {
      await client.query('drop schema public cascade; create schema public');
      for (const name of files.slice(0, at)) await client.query(readFileSync(join(folder, name), 'utf8'));
      await client.query(`set session_replication_role = replica;
        insert into users (id, name, email, password_hash, default_project_id)
          values (gen_random_uuid(), 'n', 'e@example.com', 'x', gen_random_uuid());
        insert into risk_rules (id, user_id, name, is_all, kind, percent, basis, trail, trail_stops_at_initial_plus, day_starts,
            time_zone, warn_percent, actions, enabled)
          select gen_random_uuid(), id, 'Trail', true, 'trailing_drawdown', 4, 'balance', 'balance', '100', '00:00', 'UTC', 80,
            '{close_all,lock}', true from users;
        set session_replication_role = origin`);
      await client.query(readFileSync(join(folder, files[at]!), 'utf8'));
      const { rows } = await client.query<RuleVersion>('select version, actor, rule from risk_rule_versions');
      const settings = { name: 'Trail', kind: 'trailing_drawdown', percent: 4, trail: 'balance', amount: undefined };
      const terminal = await createTerminal();
      const today = await createRule(terminal, LOCKS, { ...settings, trail_stops_at: { initial_plus: '100' } });
      const [kept] = await list(today.id);
      expect(rows).toEqual([{ version: 1, actor: null, rule: { ...kept!.rule, terminal_ids: null, all: true } }]);
    });
  } finally {
    await database.close();
  }
});

it('a breach has the version that decided it, and what that asked for is done though the rule was loosened since then', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, LOCKS, { lock_until: 'next_day' });
  await change(rule.id, { actions: ['notify'], lock_until: 'unlocked', name: 'Mild' });
  const breach = toBreach(terminal, rule.id, { rule_version: 1, actions: toLocked(), phase: 'holding' });
  await report({ breaches: [breach] });
  expect(await readBreach(breach.id)).toMatchObject({
    rule_version: 1,
    rule_name: 'Daily loss',
    actions: [{ action: 'lock' }],
  });
  const { reason, endsAt } = await readLock(terminal);
  expect(reason).toContain('"Daily loss"');
  expect(endsAt).not.toBeNull();
});

it('a breach of a version that was never written, or of an agent that says none, is one of the rule as it is', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all']);
  for (const version of [{ rule_version: 99 }, {}]) {
    const breach = toBreach(terminal, rule.id, { ...version, actions: toLocked() });
    await report({ breaches: [breach] });
    expect(await readBreach(breach.id)).toMatchObject({ rule_version: null, actions: [] });
  }
  expect((await readLock(terminal)).reason).toBeNull();
});

it('a rule that is deleted while it acts still locks, until the day of the rule as it was ends', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, LOCKS, { lock_until: 'next_day' });
  const breach = toBreach(terminal, rule.id, { rule_version: 1 });
  await report({ breaches: [breach] });
  await request('DELETE', `risk-rules/${rule.id}`);
  expect((await send('GET', `risk-rules/${rule.id}`)).status).toBe(404);
  await report({ breaches: [{ ...breach, actions: toLocked(), phase: 'ended', has_ended: true }] });
  expect((await readLock(terminal)).endsAt).not.toBeNull();
  expect(await readBreach(breach.id)).toMatchObject({ rule_version: 1, phase: 'ended' });
});

it('a breach whose host was away until its rule was forgotten still locks, without an end', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, LOCKS, { lock_until: 'next_day' });
  const breach = toBreach(terminal, rule.id, { rule_version: 1 });
  await report({ breaches: [breach] });
  await server.query('delete from risk_rules where id = $1', [rule.id]);
  await report({ breaches: [{ ...breach, actions: toLocked() }] });
  expect(await readLock(terminal)).toEqual({ reason: 'The risk rule "Daily loss" was breached.', endsAt: null });
});

it('a state says where what the limit counts from comes from, and whether the account has the currency of the rule', async () => {
  const terminal = await createTerminal();
  const daily = await createRule(terminal, ['notify']);
  const drawdown = await createRule(terminal, ['notify'], { kind: 'max_drawdown', currency: 'EUR' });
  const read = async (rule: RiskRule) => (await request<RiskState[]>('GET', `risk-rules/${rule.id}/state`))[0];
  expect(await read(daily)).toMatchObject({ mark_source: null, currency_ok: null });
  const days = [
    { at: Date.now() - 86_400_000, value: '1.00', breach_id: null, source: 'rule_start' as const },
    { at: Date.now(), value: '10000.00', breach_id: null, source: 'first_numbers' as const },
  ];
  const marks = toMarks(null, { source: 'reset', days });
  await report({ states: [daily, drawdown].map(({ id }) => toState(terminal, id, { marks })) });
  expect(await read(daily)).toMatchObject({ mark_source: 'first_numbers', currency_ok: true });
  expect(await read(drawdown)).toMatchObject({ mark_source: 'reset', currency_ok: true });
  // An agent of before says nothing of it.
  await report({ states: [toState(terminal, daily.id, { marks: toMarks(null) })] });
  expect(await read(daily)).toMatchObject({ mark_source: null });
  await report({ states: [toState(terminal, drawdown.id, { blind: 'other_currency' })] });
  expect(await read(drawdown)).toMatchObject({ currency_ok: false, is_watched: false });
});
