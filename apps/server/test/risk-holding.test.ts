/** Breaches that hosts hold, what ends them, and whether rules could act: as hosts report it, and owners read it. */
import { randomUUID } from 'node:crypto';
import { RULE_SETTINGS, type ReportedBreach, type RiskBreach, type RiskMarks, type RiskState } from '@berth/contract';
import { startTestServer, TestHost, waitFor, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

let server: TestServer;
let host: TestHost;
let owner: { id: string; token: string };
beforeAll(async () => {
  server = await startTestServer();
  host = await TestHost.enrol(server, { capacity: 100 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});
afterAll(() => server.close());

const createTerminal = async (): Promise<string> => {
  const [row] = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 'Scalper', 'Harbour-Demo', '5001', 3
     from users where id = $1 returning id`,
    [owner.id, host.id],
  );
  return row!.id as string;
};
const request = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
  const response = await server.request(method, `/v1/my/${path}`, { token: owner.token, ...(body ? { body } : {}) });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return (response.body as { data: Data }).data;
};
const createRule = async (terminalId: string, actions: string[]): Promise<string> => {
  const body = { name: 'Daily loss', kind: 'daily_loss', amount: '250', terminal_ids: [terminalId], actions };
  return (await request<{ id: string }>('POST', 'risk-rules', body)).id;
};
const report = (sent: object) => host.call('risk', { states: [], warnings: [], breaches: [], ...sent });
const readGuarded = async (terminalId: string) => {
  const { body } = await host.call('risk-rules', { settings: RULE_SETTINGS });
  const read = body as { risk_version: number; terminals: { terminal_id: string; released?: string[] }[] };
  return {
    version: read.risk_version,
    released: read.terminals.find(({ terminal_id: id }) => id === terminalId)?.released,
  };
};
const toBreach = (terminal_id: string, rule_id: string, changes: Partial<ReportedBreach>): ReportedBreach => ({
  ...{ id: randomUUID(), terminal_id, rule_id, decided_at: Date.now(), value: '9750.00', limit: '9750.00' },
  ...{ first_order_ms: 3, closed: 1, total: 1, left_open: [], actions: [], has_ended: false },
  ...changes,
});
const toLock = () => [{ action: 'lock' as const, ok: true, at: Date.now(), message: null }];
const toMarks = (breachId: string | null): RiskMarks => ({
  ...{ login: '5001', server: 'Harbour-Demo', start: '10000.00', high_water: '10000.00', last_balance: '9750.00' },
  ...{ seen_at: Date.now(), days: [{ at: Date.now(), value: '10000.00', breach_id: breachId }] },
  ...{ breach_id: null, is_warned: false },
});
const toState = (terminal_id: string, rule_id: string, changes: object = {}) => ({
  ...{ terminal_id, rule_id, used: '250.00', limit: '250.00', warn_at: '200.00', blind: null, as_of: Date.now() },
  ...changes,
});
const readBreach = async (id: string): Promise<RiskBreach | undefined> =>
  (await request<RiskBreach[]>('GET', 'risk-breaches')).find((breach) => breach.id === id);
const unlock = (terminalId: string) =>
  request('POST', `trading/terminals/${terminalId}/unlock`, { reason: 'talked to the trader' });

it('an unlock ends what a rule with a lock holds: its host is told at once, and for as long as the breach stands', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all', 'lock']);
  const breach = toBreach(terminal, rule, { actions: toLock(), phase: 'holding' });
  await report({ breaches: [breach], states: [toState(terminal, rule, { marks: toMarks(breach.id) })] });
  const before = await readGuarded(terminal);
  expect(before.released).toEqual([]);
  await unlock(terminal);
  const after = await readGuarded(terminal);
  expect(after.released).toEqual([breach.id]);
  expect(after.version).toBeGreaterThan(before.version);
  // Over on its host, it stands in the marks of its day.
  await report({ breaches: [{ ...breach, phase: 'ended', has_ended: true }] });
  expect((await readGuarded(terminal)).released).toEqual([breach.id]);
  await report({ states: [toState(terminal, rule, { marks: toMarks(null) })] });
  expect((await readGuarded(terminal)).released).toEqual([]);
});

it('an unlock leaves alone what rules without a lock hold, and what other terminals hold', async () => {
  const [terminal, other] = [await createTerminal(), await createTerminal()];
  const locking = await createRule(terminal, ['close_all', 'lock']);
  const closing = await createRule(terminal, ['close_all']);
  const others = await createRule(other, ['close_all', 'lock']);
  const held = toBreach(terminal, closing, { phase: 'holding' });
  const elsewhere = toBreach(other, others, { actions: toLock(), phase: 'holding' });
  const locked = toBreach(terminal, locking, { actions: toLock(), phase: 'holding' });
  await report({ breaches: [held, elsewhere, locked] });
  await unlock(terminal);
  expect((await readGuarded(terminal)).released).toEqual([locked.id]);
  expect((await readGuarded(other)).released).toEqual([]);
});

it('a breach says whether its host acts, holds it or has ended it, and what happened to experts', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all']);
  const breach = toBreach(terminal, rule, { closed: 0 });
  await report({ breaches: [breach] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'acting', experts: null, ended_at: null });
  const experts = { removed: 2, message: null };
  await report({ breaches: [{ ...breach, closed: 1, phase: 'holding', experts }] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'holding', experts, ended_at: null });
  await report({ breaches: [{ ...breach, closed: 1, phase: 'ended', experts, has_ended: true }] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'ended', experts, ended_at: expect.any(String) });
});

it('a breach of an agent that says no phase is acting until it has ended', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all']);
  const breach = toBreach(terminal, rule, {});
  await report({ breaches: [breach] });
  expect((await readBreach(breach.id))?.phase).toBe('acting');
  await report({ breaches: [{ ...breach, has_ended: true }] });
  expect((await readBreach(breach.id))?.phase).toBe('ended');
});

it('a state says whether the orders of its rule would be taken, and what stands against them', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all']);
  const read = async () => (await request<RiskState[]>('GET', `risk-rules/${rule}/state`))[0];
  await report({ states: [toState(terminal, rule)] });
  expect(await read()).toMatchObject({ can_act: null, trade_denied_by: null });
  await report({ states: [toState(terminal, rule, { can_act: false, trade_denied_by: ['password', 'terminal'] })] });
  expect(await read()).toMatchObject({ can_act: false, trade_denied_by: ['password', 'terminal'] });
  await report({ states: [toState(terminal, rule, { can_act: true, trade_denied_by: [] })] });
  expect(await read()).toMatchObject({ can_act: true, trade_denied_by: [] });
});

it('a host hears of an unlock while its claim waits', async () => {
  const terminal = await createTerminal();
  const rule = await createRule(terminal, ['close_all', 'lock']);
  await report({ breaches: [toBreach(terminal, rule, { actions: toLock(), phase: 'holding' })] });
  // Whatever has changed so far is told first.
  await waitFor(
    async () => !((await host.call('claim', { slots: 1, wait_ms: 0 })).body as { risk_changed?: boolean }).risk_changed,
  );
  const waiting = host.call('claim', { slots: 1, wait_ms: 20_000 });
  await unlock(terminal);
  expect((await waiting).body).toMatchObject({ risk_changed: true });
});
