/** The settings of risk rules: what is taken, what is refused, and what hosts get of them. */
import type { GuardRule, RiskRule, RiskState } from '@berth/contract';
import { RULE_SETTINGS } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let token: string;
let terminalId: string;
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 100 });
  const owner = await server.register('Owner');
  token = owner.token;
  const [row] = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 'Scalper', 'Harbour-Demo', '5001', 3
     from users where id = $1 returning id`,
    [owner.user.id, host.id],
  );
  terminalId = row!.id as string;
});

const request = async (method: string, path: string, body?: object) => {
  const response = await server.request(method, `/v1/my/risk-rules${path}`, { token, ...(body ? { body } : {}) });
  return { status: response.status, body: response.body as { data: never; errors?: Record<string, string[]> } };
};
const base = { name: 'Limit', actions: ['notify'] };
const create = async (settings: object): Promise<RiskRule> => {
  const { status, body } = await request('POST', '', { ...base, terminal_ids: [terminalId], ...settings });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};
const readRules = async (settings?: number): Promise<GuardRule[]> => {
  const { body } = await host.call('risk-rules', settings === undefined ? {} : { settings });
  return (body as { rules: GuardRule[] }).rules;
};
const readState = async (id: string): Promise<RiskState> => {
  const { body } = await request('GET', `/${id}/state`);
  return (body.data as RiskState[])[0]!;
};

it('a rule without further settings has those that it always had, and goes to agents that know no others', async () => {
  const rule = await create({ kind: 'daily_loss', percent: 5 });
  expect(rule).toMatchObject({
    ...{ percent_of: 'reference', measure: 'equity', trail: null, trail_stops_at: null },
    ...{ cash_flows: 'adjust', buffer: '0', currency: null, confirm_ms: 0, lock_until: 'unlocked', version: 1 },
  });
  const target = await create({ kind: 'profit_target', amount: '500', measure: 'balance', buffer: '0.00' });
  expect(target).toMatchObject({ measure: 'balance', buffer: '0' });
  const count = await create({ kind: 'max_positions', amount: '3' });
  expect(count.measure).toBeNull();
  const ids = (await readRules()).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([rule.id, target.id, count.id]));
  // Written back with what was read, it still needs no newer agent.
  await request('PATCH', `/${target.id}`, { warn_percent: 70, measure: 'balance' });
  expect((await readRules()).map(({ id }) => id)).toContain(target.id);
});

it('a rule with settings that an agent does not know is not sent to it, and is shown as not watched for that reason', async () => {
  const settings: object[] = [
    { kind: 'daily_loss', percent: 5, percent_of: 'initial' },
    { kind: 'daily_loss', amount: '250', measure: 'balance' },
    { kind: 'daily_loss', amount: '250', trail: 'balance' },
    { kind: 'daily_loss', amount: '250', cash_flows: 'ignore' },
    { kind: 'daily_loss', amount: '250', buffer: '0.01' },
    { kind: 'daily_loss', amount: '250', currency: 'EUR' },
    { kind: 'trailing_drawdown', amount: '250', trail: 'balance' },
    { kind: 'trailing_drawdown', amount: '250', trail_stops_at: { initial_plus: '100' } },
    { kind: 'max_positions', amount: '3', confirm_ms: 250 },
  ];
  for (const each of settings) {
    const rule = await create(each);
    const what = JSON.stringify(each);
    expect(rule, what).toMatchObject(each);
    expect(
      (await readRules()).map(({ id }) => id),
      what,
    ).not.toContain(rule.id);
    expect(await readState(rule.id), what).toMatchObject({ is_watched: false, blind: 'agent_too_old' });
    expect(
      (await readRules(RULE_SETTINGS)).map(({ id }) => id),
      what,
    ).toContain(rule.id);
  }
});

it('a rule that waits for a confirmation needs a newer agent than the settings before it; when its lock ends needs none', async () => {
  const before = await create({ kind: 'daily_loss', amount: '250', buffer: '0.01' });
  const waiting = await create({ kind: 'daily_loss', amount: '250', confirm_ms: 1 });
  const locking = await create({ kind: 'daily_loss', amount: '250', actions: ['lock'], lock_until: 'next_day' });
  const listIds = async (settings: number) => (await readRules(settings)).map(({ id }) => id);
  expect(await listIds(1)).toContain(locking.id);
  expect(await listIds(2)).toContain(before.id);
  expect(await listIds(2)).not.toContain(waiting.id);
  expect(await readState(waiting.id)).toMatchObject({ is_watched: false, blind: 'agent_too_old' });
  expect(await listIds(3)).toContain(waiting.id);
});

it('hosts get the settings of a rule as the guard takes them', async () => {
  const trailing = await create({
    ...{ kind: 'trailing_drawdown', percent: 4, percent_of: 'initial', trail: 'balance', buffer: '12.50' },
    ...{ trail_stops_at: { amount: '10100' }, currency: 'USD', cash_flows: 'ignore', confirm_ms: 750 },
  });
  const daily = await create({ kind: 'daily_loss', amount: '250', trail: 'equity' });
  const target = await create({ kind: 'profit_target', amount: '500', measure: 'equity' });
  const rules = new Map((await readRules(RULE_SETTINGS)).map((rule) => [rule.id, rule]));
  expect(rules.get(trailing.id)).toMatchObject({
    ...{ percent: '4', percent_of: 'initial', trail: 'balance', day_trail: null, trail_stops_at: '10100' },
    ...{ trail_stops_at_initial_plus: null, buffer: '12.50', currency: 'USD', cash_flows: 'ignore', measure: 'equity' },
    ...{ confirm_ms: 750, version: 1 },
  });
  expect(rules.get(daily.id)).toMatchObject({ day_trail: 'equity', trail_stops_at: null });
  expect(rules.get(target.id)).toMatchObject({ measure: 'equity' });
});

it('a setting that the kind of a rule would ignore, or that contradicts another, is refused', async () => {
  const cases: [object, string][] = [
    [{ kind: 'max_drawdown', percent: 5, percent_of: 'initial' }, 'percent_of'],
    [{ kind: 'daily_loss', amount: '250', percent_of: 'initial' }, 'percent_of'],
    [{ kind: 'max_volume', amount: '2', measure: 'equity' }, 'measure'],
    [{ kind: 'max_drawdown', amount: '250', trail: 'equity' }, 'trail'],
    [{ kind: 'daily_loss', amount: '250', trail: 'day_end_balance' }, 'trail'],
    [{ kind: 'daily_loss', amount: '250', trail_stops_at: { amount: '10000' } }, 'trail_stops_at'],
    [{ kind: 'trailing_drawdown', amount: '250', trail_stops_at: {} }, 'trail_stops_at'],
    [
      { kind: 'trailing_drawdown', amount: '250', trail_stops_at: { amount: '1', initial_plus: '1' } },
      'trail_stops_at',
    ],
    [{ kind: 'trailing_drawdown', amount: '250', trail_stops_at: { amount: 'high' } }, 'trail_stops_at.amount'],
    [
      { kind: 'trailing_drawdown', amount: '250', trail_stops_at: { amuont: '1' } },
      'trail_stops_at.amuont,trail_stops_at',
    ],
    [{ kind: 'equity_floor', amount: '250', cash_flows: 'ignore' }, 'cash_flows'],
    [{ kind: 'profit_target', amount: '250', buffer: '1' }, 'buffer'],
    [{ kind: 'daily_loss', amount: '250', buffer: '250.00' }, 'buffer'],
    [{ kind: 'daily_loss', amount: '250', buffer: '-1' }, 'buffer'],
    [{ kind: 'daily_loss', amount: '250', currency: 'euro' }, 'currency'],
    [{ kind: 'daily_loss', amount: '250', confirm_ms: 60_001 }, 'confirm_ms'],
    [{ kind: 'daily_loss', amount: '250', confirm_ms: -1 }, 'confirm_ms'],
    [{ kind: 'daily_loss', amount: '250', lock_until: 'next_day' }, 'lock_until'],
    [{ kind: 'daily_loss', amount: '250', lock_until: 'tomorrow', actions: ['lock'] }, 'lock_until'],
  ];
  for (const [settings, field] of cases) {
    const { status, body } = await request('POST', '', { ...base, terminal_ids: [terminalId], ...settings });
    expect([status, Object.keys(body.errors ?? {}).join()], JSON.stringify(settings)).toEqual([422, field]);
  }
});

it('settings are changed one by one, and null takes out those that may be absent', async () => {
  const rule = await create({
    ...{ kind: 'trailing_drawdown', percent: 4, percent_of: 'initial', trail: 'balance', currency: 'EUR' },
    trail_stops_at: { initial_plus: '100' },
  });
  const change = async (changes: object) => (await request('PATCH', `/${rule.id}`, changes)).body.data as RiskRule;
  expect(await change({ trail_stops_at: { amount: '10000' } })).toMatchObject({
    ...{ trail_stops_at: { amount: '10000' }, trail: 'balance', currency: 'EUR', percent_of: 'initial' },
  });
  expect(await change({ trail_stops_at: null, currency: null })).toMatchObject({
    trail_stops_at: null,
    currency: null,
  });
  expect(await change({ trail: null })).toMatchObject({ trail: 'equity' });
  // A percentage that is gone is of nothing.
  expect(await change({ amount: '250' })).toMatchObject({ amount: '250', percent: null, percent_of: 'reference' });
  const refused = await request('PATCH', `/${rule.id}`, { buffer: '250' });
  expect(refused.body.errors).toHaveProperty('buffer');
});

it('a rule whose lock ends with the day keeps its lock, or says when it ends anew', async () => {
  const rule = await create({ kind: 'daily_loss', amount: '250', actions: ['lock', 'notify'], lock_until: 'next_day' });
  const change = async (changes: object) => (await request('PATCH', `/${rule.id}`, changes)).body;
  expect((await change({ actions: ['notify'] })).errors).toHaveProperty('lock_until');
  expect((await change({ warn_percent: 70 })).data).toMatchObject({ lock_until: 'next_day', version: 2 });
  const both = await change({ actions: ['notify'], lock_until: 'unlocked', confirm_ms: 500 });
  expect(both.data).toMatchObject({ actions: ['notify'], lock_until: 'unlocked', confirm_ms: 500, version: 3 });
  expect((await change({ lock_until: 'next_day' })).errors).toHaveProperty('lock_until');
});

it('a rule is tried on the past with its settings', async () => {
  const rule = { ...base, terminal_ids: [terminalId], kind: 'daily_loss', percent: 5, percent_of: 'initial' };
  const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
  const tried = await request('POST', '/try', { rule: { ...rule, trail: 'balance', buffer: '10' }, ...period });
  expect([tried.status, tried.body.data]).toEqual([200, []]);
  const refused = await request('POST', '/try', { rule: { ...rule, trail: 'day_end_balance' }, ...period });
  expect(refused.body.errors).toHaveProperty(['rule.trail']);
});
