/** A host, an owner of terminals on it, and what tests of risk rules ask of both. */
import { randomUUID } from 'node:crypto';
import {
  RULE_SETTINGS,
  type GuardRule,
  type ReportedBreach,
  type RiskBreach,
  type RiskMarks,
  type RiskRule,
} from '@berth/contract';
import { TestHost, useTestServer, type TestServerOptions } from '@berth/testing';
import { beforeAll } from 'vitest';

interface Guarded {
  risk_version: number;
  rules: GuardRule[];
  terminals: {
    terminal_id: string;
    released?: string[];
    rules: { index: number; marks?: RiskMarks; reset?: string }[];
  }[];
}

export const toBreach = (terminal_id: string, rule_id: string, changes: Partial<ReportedBreach>): ReportedBreach => ({
  ...{ id: randomUUID(), terminal_id, rule_id, decided_at: Date.now(), value: '9750.00', limit: '9750.00' },
  ...{ first_order_ms: 3, closed: 1, total: 1, left_open: [], actions: [], has_ended: false },
  ...changes,
});
export const toLocked = () => [{ action: 'lock' as const, ok: true, at: Date.now(), message: null }];
export const toMarks = (breachId: string | null, changes: Partial<RiskMarks> = {}): RiskMarks => ({
  ...{ login: '5001', server: 'Harbour-Demo', start: '10000.00', high_water: '10000.00', last_balance: '9750.00' },
  ...{ seen_at: Date.now(), days: [{ at: Date.now(), value: '10000.00', breach_id: breachId }] },
  ...{ breach_id: null, is_warned: false },
  ...changes,
});
export const toState = (terminal_id: string, rule_id: string, changes: object = {}) => ({
  ...{ terminal_id, rule_id, used: '250.00', limit: '250.00', warn_at: '200.00', blind: null, as_of: Date.now() },
  ...changes,
});

export const useRiskScene = (options?: TestServerOptions) => {
  const server = useTestServer(options);
  const who = {} as { host: TestHost; id: string; token: string };
  beforeAll(async () => {
    const { user, token } = await server.register('Owner');
    Object.assign(who, { host: await TestHost.enrol(server, { capacity: 1_000 }), id: user.id, token });
  });
  const createTerminal = async (): Promise<string> => {
    const [row] = await server.query(
      `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
       select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 'Scalper', 'Harbour-Demo', '5001', 3
       from users where id = $1 returning id`,
      [who.id, who.host.id],
    );
    return row!.id as string;
  };
  const send = (method: string, path: string, body?: object) =>
    server.request(method, `/v1/my/${path}`, { token: who.token, ...(body ? { body } : {}) });
  /** A request that must not be refused. */
  const request = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const response = await send(method, path, body);
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    return (response.body as { data: Data }).data;
  };
  const createRule = (terminalId: string, actions: string[], settings: object = {}): Promise<RiskRule> => {
    const rule = { name: 'Daily loss', kind: 'daily_loss', amount: '250', terminal_ids: [terminalId], actions };
    return request<RiskRule>('POST', 'risk-rules', { ...rule, ...settings });
  };
  const report = (sent: object, by: TestHost = who.host) =>
    by.call('risk', { states: [], warnings: [], breaches: [], ...sent });
  /** What a host gets of one terminal. */
  const readGuarded = async (terminalId: string, by: TestHost = who.host, settings: number = RULE_SETTINGS) => {
    const { risk_version: version, rules, terminals } = (await by.call('risk-rules', { settings })).body as Guarded;
    const found = terminals.find(({ terminal_id: id }) => id === terminalId);
    const own = (found?.rules ?? []).map(({ index, ...rest }) => ({ ...rules[index]!, ...rest }));
    return { version, released: found?.released, rules: new Map(own.map((rule) => [rule.id, rule])) };
  };
  /** Reports a breach whose host has come as far as the lock. */
  const lock = async (terminalId: string, ruleId: string, changes: Partial<ReportedBreach> = {}) => {
    const breach = toBreach(terminalId, ruleId, { actions: toLocked(), phase: 'holding', ...changes });
    await report({ breaches: [breach] });
    return breach;
  };
  const readLock = async (terminalId: string): Promise<{ reason: string | null; endsAt: string | null }> => {
    const text = 'select locked_reason, lock_ends_at from terminals where id = $1';
    const [row] = await server.query(text, [terminalId]);
    return {
      reason: row!.locked_reason as string | null,
      endsAt: (row!.lock_ends_at as Date | null)?.toISOString() ?? null,
    };
  };
  const unlock = (terminalId: string, body: object = {}) =>
    send('POST', `trading/terminals/${terminalId}/unlock`, { reason: 'talked to the trader', ...body });
  const readBreach = async (id: string): Promise<RiskBreach | undefined> =>
    (await request<RiskBreach[]>('GET', 'risk-breaches')).find((breach) => breach.id === id);
  const listUnlocks = async (terminalId: string): Promise<string[]> => {
    const text = `select data ->> 'reason' as reason from events where type = 'security.unlocked' and terminal_id = $1 order by id`;
    return (await server.query(text, [terminalId])).map(({ reason }) => reason as string);
  };
  return {
    ...{ server, who, createTerminal, send, request, createRule, report, readGuarded, lock, readLock, unlock },
    ...{ readBreach, listUnlocks },
  };
};
