/** Risk rules over HTTP: what is refused, what hosts get at once, whose reports count, and that nothing is written twice. */
import { randomUUID } from 'node:crypto';
import type { ReportedBreach, RiskMarks, RiskRule } from '@berth/contract';
import { TestHost, toAccountState, waitFor, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let owner: { id: string; token: string };
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 10_000 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});

const createTerminal = async (hostId: string | null = host.id, userId = owner.id): Promise<string> => {
  const [row] = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 'Scalper', 'Harbour-Demo', '5001', 3
     from users where id = $1 returning id`,
    [userId, hostId],
  );
  return row!.id as string;
};

const request = async (method: string, path: string, body?: object, token = owner.token) => {
  const answer = await server.request(method, `/v1/my/${path}`, { token, ...(body ? { body } : {}) });
  return { status: answer.status, body: answer.body as { data: never; errors: Record<string, string[]> } };
};
const daily = { name: 'Daily loss', kind: 'daily_loss', amount: '250.00', actions: ['lock', 'close_all', 'notify'] };
const create = async (changes: object, token = owner.token): Promise<RiskRule> => {
  const { status, body } = await request('POST', 'risk-rules', { ...daily, ...changes }, token);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};
const readRules = async (of = host) =>
  (await of.call('risk-rules', {})).body as {
    risk_version: number;
    rules: { id: string; amount: string | null }[];
    terminals: { terminal_id: string; rules: { index: number; marks?: RiskMarks }[] }[];
  };
const listFor = async (terminalId: string, of = host) => {
  const { rules, terminals } = await readRules(of);
  const found = terminals.find(({ terminal_id: id }) => id === terminalId);
  return (found?.rules ?? []).map(({ index, marks }) => ({ id: rules[index]!.id, marks }));
};
const report = async (sent: object, of = host) =>
  (await of.call('risk', { states: [], warnings: [], breaches: [], ...sent })).body as { acknowledged: string[] };

const toMarks = (changes: Partial<RiskMarks> = {}): RiskMarks => ({
  ...{ login: '5001', server: 'Harbour-Demo', start: '10000.00', high_water: '10100.00', last_balance: '10000.00' },
  ...{ seen_at: Date.now(), days: [{ at: Date.now(), value: '10050.00', breach_id: null }] },
  ...{ breach_id: null, is_warned: false },
  ...changes,
});
const toBreach = (terminal_id: string, rule_id: string, changes: Partial<ReportedBreach> = {}): ReportedBreach => ({
  ...{ id: randomUUID(), terminal_id, rule_id, decided_at: Date.now(), value: '9750.00', limit: '9750.00' },
  ...{ first_order_ms: null, closed: 0, total: 0, left_open: [], actions: [], has_ended: false },
  ...changes,
});
const listEvents = (type: string, terminalId: string) =>
  server.query('select data from events where type = $1 and terminal_id = $2', [type, terminalId]);

it('a risk rule is refused where a setting is missing, contradicts another, or would be ignored', async () => {
  const terminal = await createTerminal();
  const { user, token } = await server.register('Stranger');
  const foreign = await createTerminal(host.id, user.id);
  const of = { terminal_ids: [terminal] };
  const cases: [object, string][] = [
    [{}, 'terminal_ids'],
    [{ terminal_ids: [] }, 'terminal_ids'],
    [{ terminal_ids: [foreign] }, 'terminal_ids.0'],
    [{ all: false }, 'all,terminal_ids'],
    [{ ...of, all: true }, 'all'],
    [{ project_id: randomUUID() }, 'project_id'],
    [{ ...of, percent: 3 }, 'percent'],
    [{ ...of, amount: undefined }, 'amount'],
    [{ ...of, amount: '0.00' }, 'amount'],
    [{ ...of, amount: 250 }, 'amount'],
    [{ ...of, amount: '1e3' }, 'amount'],
    [{ ...of, amount: undefined, percent: 3.001 }, 'percent'],
    [{ ...of, kind: 'equity_floor', amount: undefined, percent: 3 }, 'percent'],
    [{ ...of, kind: 'max_positions', amount: '2.5' }, 'amount'],
    [{ ...of, time_zone: 'Mars/Base' }, 'time_zone'],
    [{ ...of, day_starts: '24:00' }, 'day_starts'],
    [{ ...of, actions: [] }, 'actions'],
    [{ ...of, actoins: ['lock'] }, 'actoins'],
  ];
  for (const [changes, field] of cases) {
    const { status, body } = await request('POST', 'risk-rules', { ...daily, ...changes });
    expect([status, Object.keys(body.errors ?? {}).join()], JSON.stringify(changes)).toEqual([422, field]);
  }
  expect(await listFor(terminal)).toEqual([]);
  expect((await request('GET', 'risk-rules', undefined, token)).body.data).toEqual([]);
});

it('a risk rule is read, changed and deleted by its owner alone, and keeps what it has measured when its limit is changed', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal.toUpperCase()] });
  expect(rule).toMatchObject({ actions: ['close_all', 'lock', 'notify'], terminal_ids: [terminal], all: false });
  await report({ states: [{ ...toState(terminal, rule.id), marks: toMarks() }] });
  const { token } = await server.register('Stranger');
  for (const [method, path, body] of [
    ['GET', `risk-rules/${rule.id}`],
    ['PATCH', `risk-rules/${rule.id}`, { amount: '1' }],
    ['DELETE', `risk-rules/${rule.id}`],
    ['GET', `risk-rules/${rule.id}/state`],
  ] as const) {
    expect((await request(method, path, body, token)).status).toBe(404);
  }
  const { body } = await request('PATCH', `risk-rules/${rule.id}`, { percent: 3 });
  expect(body.data).toMatchObject({ amount: null, percent: 3, terminal_ids: [terminal] });
  for (const wrong of [
    { amount: '1', percent: 2 },
    { kind: 'max_drawdown' },
    { all: true, terminal_ids: [terminal] },
  ]) {
    expect((await request('PATCH', `risk-rules/${rule.id}`, wrong)).status).toBe(422);
  }
  expect((await listFor(terminal))[0]?.marks).toMatchObject({
    high_water: '10100.00',
    days: [{ value: '10050.00' }],
  });
  const state = await request('GET', `risk-rules/${rule.id}/state`);
  expect(state.body.data).toMatchObject([
    { terminal_id: terminal, used: '300.00', day_start: '10050.00', high_water: '10100.00', is_watched: true },
  ]);
  expect((await request('DELETE', `risk-rules/${rule.id}`)).status).toBe(200);
  expect((await request('GET', `risk-rules/${rule.id}`)).status).toBe(404);
  expect(await listFor(terminal)).toEqual([]);
});

it('a risk rule reaches the host at once, for all terminals of its scope and no others', async () => {
  const [inProject, other] = [await createTerminal(), await createTerminal()];
  const project = (await request('POST', 'projects', { name: 'Desk' })).body.data as { id: string };
  await server.query('update terminals set project_id = $2 where id = $1', [inProject, project.id]);
  const before = await readRules();
  const claim = host.call('claim', { slots: 1, wait_ms: 20_000 });
  const heartbeat = async () => ((await host.heartbeat()).body as { risk_version?: number }).risk_version;
  await waitFor(async () => (await server.query(`select 1`)).length > 0);
  const rule = await create({ project_id: project.id });
  const answer = await claim;
  expect(answer.body).toMatchObject({ tasks: [], risk_changed: true });
  expect(await heartbeat()).not.toBe(before.risk_version);
  expect(await heartbeat()).toBe((await readRules()).risk_version);
  expect((await listFor(inProject)).map(({ id }) => id)).toEqual([rule.id]);
  expect(await listFor(other)).toEqual([]);
  // A terminal that comes into its project comes under the rule.
  const version = await heartbeat();
  await server.query('update terminals set project_id = $2 where id = $1', [other, project.id]);
  expect(await heartbeat()).not.toBe(version);
  expect((await listFor(other)).map(({ id }) => id)).toEqual([rule.id]);
  await request('PATCH', `risk-rules/${rule.id}`, { enabled: false });
  expect(await listFor(other)).toEqual([]);
});

it('a rule that is tried on the past names the days on which it would have acted, on the terminals of its owner', async () => {
  const terminal = await createTerminal();
  // Within a day, for which minutes are kept, and at an hour, so that no day ends among them.
  const begin = new Date(Date.now() - 2 * 3_600_000);
  begin.setUTCMinutes(0, 0, 0);
  await server.query(
    `with account as (
         insert into trading_accounts (terminal_id, login, server_name, taken_at, minute_at, balance, minute_min, minute_max, equity, profit)
         values ($1, '5001', 'Harbour-Demo', now(), $2, 10000, 10000, 10000, 10000, 0) returning id
       )
       insert into account_minutes (account_id, at, balance, equity_min, equity_max, equity, profit)
       select id, $2::timestamptz + n * interval '1 minute', 10000, case when n = 5 then 9700 else 9900 end, 10000, 9900, 0
       from account, generate_series(1, 10) as n`,
    [terminal, begin],
  );
  const period = { from: begin.toISOString(), to: new Date(begin.getTime() + 3_600_000).toISOString() };
  const rule = { ...daily, kind: 'max_drawdown', terminal_ids: [terminal] };
  const { status, body } = await request('POST', 'risk-rules/try', { rule, ...period });
  expect([status, body.data]).toEqual([
    200,
    [
      {
        terminal_id: terminal,
        day: period.from.slice(0, 10),
        would_have_acted_at: new Date(begin.getTime() + 6 * 60_000).toISOString(),
        ...{ value: '9700.00', limit: '9750.00', equity_then: '9700', equity_at_day_end: '9900' },
      },
    ],
  ]);
  for (const [changes, field] of [
    [{ to: period.from }, 'to'],
    [{ from: '2020-01-01T00:00:00Z' }, 'from'],
    [{ rule: { ...rule, kind: 'max_positions', amount: '3' } }, 'rule.kind'],
    [{ rule: { ...rule, amount: undefined } }, 'rule.amount'],
  ] as const) {
    const refused = await request('POST', 'risk-rules/try', { rule, ...period, ...changes });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [field]]);
  }
  const { token } = await server.register('Stranger');
  expect((await request('POST', 'risk-rules/try', { rule, ...period }, token)).status).toBe(422);
});

const toState = (terminal_id: string, rule_id: string) => ({
  ...{ terminal_id, rule_id, used: '300.00', limit: '250.00', warn_at: '200.00', blind: null, as_of: Date.now() },
});

it('what a host reports of a rule is written once, however often it is repeated, and locks the terminal when the host has come that far', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal] });
  const breach = toBreach(terminal, rule.id);
  for (const _ of [1, 2]) expect(await report({ breaches: [breach] })).toMatchObject({ acknowledged: [breach.id] });
  const isLocked = async () =>
    (await server.query('select locked_reason from terminals where id = $1', [terminal]))[0]!.locked_reason as string;
  expect(await isLocked()).toBeNull();
  const at = Date.now();
  const actions = [
    { action: 'close_all', ok: true, at, message: null },
    { action: 'trading_off', ok: true, at, message: null },
    { action: 'lock', ok: true, at, message: null },
  ] as const;
  const left = [{ ticket: '7', symbol: 'US500', message: 'The market is closed.' }];
  const ended = { first_order_ms: 120, closed: 3, total: 4, left_open: left, actions: [...actions], has_ended: true };
  for (const _ of [1, 2]) await report({ breaches: [{ ...breach, ...ended }] });
  // An old report that comes late changes nothing.
  await report({ breaches: [breach] });
  expect(await isLocked()).toContain('Daily loss');
  const { body } = await request('GET', `risk-breaches?terminal_id=${terminal}`);
  expect(body.data).toMatchObject([
    { id: breach.id, rule_id: rule.id, first_order_ms: 120, closed: 3, total: 4, left_open: left, limit: '9750.00' },
  ]);
  // What the rule never asked for is not listed as done.
  expect((body.data as { actions: { action: string }[] }[])[0]!.actions.map(({ action }) => action)).toEqual([
    'close_all',
    'lock',
  ]);
  expect((await listEvents('risk.breached', terminal)).map(({ data }) => data as object)).toMatchObject([
    { breach_id: breach.id, kind: 'daily_loss', value: '9750.00' },
  ]);
  const refused = await request('POST', `trading/terminals/${terminal}/tasks`, {
    type: 12,
    payload: { allow_algo_trading: 1 },
  });
  expect(refused.status).toBe(403);
});

it('what a host reports of a rule counts after the rule was deleted, too', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal] });
  await request('DELETE', `risk-rules/${rule.id}`);
  await report({ breaches: [toBreach(terminal, rule.id)] });
  expect((await request('GET', `risk-breaches?rule_id=${rule.id}`)).body.data).toHaveLength(1);
});

it('what a host reports of a rule counts for its own terminals only, and for rules of their owner', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal] });
  const { user, token } = await server.register('Stranger');
  const foreign = await create({ all: true }, token);
  const theirs = await createTerminal(host.id, user.id);
  const other = await TestHost.enrol(server, { name: 'other' });
  const marks = toMarks();
  await report({ breaches: [toBreach(terminal, rule.id)], states: [{ ...toState(terminal, rule.id), marks }] }, other);
  await report({
    breaches: [toBreach(terminal, foreign.id), toBreach(theirs, rule.id)],
    warnings: [toWarning(theirs, rule.id), toWarning(terminal, foreign.id)],
    states: [{ ...toState(theirs, rule.id), marks }],
  });
  expect((await request('GET', `risk-breaches?terminal_id=${terminal}`)).body.data).toEqual([]);
  expect((await request('GET', 'risk-breaches', undefined, token)).body.data).toEqual([]);
  expect(await listEvents('risk.warning', theirs)).toEqual([]);
  expect(await listFor(terminal)).toEqual([{ id: rule.id, marks: undefined }]);
  // Another host cannot write into a breach of this one.
  const breach = toBreach(terminal, rule.id);
  await report({ breaches: [breach] });
  await server.query('update terminals set host_id = $2 where id = $1', [terminal, other.id]);
  await report({ breaches: [{ ...breach, closed: 9, has_ended: true }] }, other);
  const { body } = await request('GET', `risk-breaches?terminal_id=${terminal}`);
  expect(body.data).toMatchObject([{ id: breach.id, closed: 0, ended_at: null }]);
});

it('what a host reports of a rule is the state of the rule, and stands beside the money of the terminal', async () => {
  const [terminal, other] = await Promise.all([createTerminal(), createTerminal()]);
  const rule = await create({ terminal_ids: [terminal] });
  await host.sendAccounts(
    { terminal_id: terminal, state: toAccountState() },
    { terminal_id: other, state: toAccountState() },
  );
  const numbers = { used: '12.50', limit: '9750.00', warn_at: '9800.00' };
  const state = { terminal_id: terminal, rule_id: rule.id, ...numbers, blind: null, as_of: Date.now() };
  await report({ states: [state] });
  const overview = await request('GET', `trading/accounts/overview?ids=${terminal},${other}`);
  const { accounts } = overview.body.data as { accounts: { terminal_id: string; rules: object[] }[] };
  const rulesOf = (id: string) => accounts.find(({ terminal_id }) => terminal_id === id)!.rules;
  expect(rulesOf(terminal)).toMatchObject([{ terminal_id: terminal, rule_id: rule.id, ...numbers, is_watched: false }]);
  expect(rulesOf(other)).toEqual([]);
  const states = await request('GET', `risk-rules/${rule.id}/state`);
  expect(states.body.data).toEqual(rulesOf(terminal));
});

it('what a host reports of a rule warns the owner once for each warning, and a host that makes them up is bounded', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal] });
  const warning = toWarning(terminal, rule.id);
  for (const _ of [1, 2]) expect(await report({ warnings: [warning] })).toMatchObject({ acknowledged: [warning.id] });
  expect(await listEvents('risk.warning', terminal)).toHaveLength(1);
  for (const _ of [1, 2, 3]) await report({ warnings: Array.from({ length: 40 }, () => toWarning(terminal, rule.id)) });
  expect(await listEvents('risk.warning', terminal)).toHaveLength(60);
});

it('what a host reports of a rule goes with the terminal to another host, except for a breach that the first one has not ended', async () => {
  const terminal = await createTerminal();
  const rule = await create({ terminal_ids: [terminal] });
  const breach = toBreach(terminal, rule.id);
  const days = [{ at: Date.now(), value: '10050.00', breach_id: breach.id }];
  await report({ breaches: [breach], states: [{ ...toState(terminal, rule.id), marks: toMarks({ days }) }] });
  const other = await TestHost.enrol(server, { name: 'second' });
  expect((await listFor(terminal))[0]?.marks?.days).toEqual(days);
  await server.query('update terminals set host_id = $2 where id = $1', [terminal, other.id]);
  expect((await listFor(terminal, other))[0]?.marks?.days).toEqual([{ ...days[0], breach_id: null }]);
});

const toWarning = (terminal_id: string, rule_id: string) => ({
  ...{
    id: randomUUID(),
    terminal_id,
    rule_id,
    kind: 'blind',
    blind: 'old_numbers',
    at: Date.now(),
    used: null,
    limit: null,
  },
});
