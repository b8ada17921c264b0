/** What each statement of risk rules does when it alone stands between two owners, or two hosts. */
import { randomUUID } from 'node:crypto';
import type { Look } from './single-statements.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

interface Ids {
  ruleId: string;
  strangersRuleId: string;
  breachId: string;
}

const SETTINGS = [
  ...['x', null, null, true, '1.00', null, 'reference', null, 'balance', 'equity', null, null, null],
  ...['adjust', '0', null, 0, 'unlocked', '00:00', 'UTC', 80, ['notify'], true],
];

/** A rule of each of the two, for all terminals; what the owner's has measured, on another host than the terminal's; a breach of each. */
export const withRules =
  (look: (...input: [...Parameters<Look>, ids: Ids]) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const ids = { ruleId: randomUUID(), strangersRuleId: randomUUID(), breachId: randomUUID() };
    const { owner, stranger, host, otherHost, terminalId, strangersTerminalId } = scene;
    for (const table of ['risk_states', 'risk_breaches', 'risk_warnings', 'risk_rules'])
      await tx.plant(`delete from ${table}`, []);
    await tx.plant(
      `insert into risk_rules (id, user_id, name, is_all, kind, amount, basis, trail, day_starts, time_zone, warn_percent, actions,
         enabled)
       select id, user_id, 'r', true, 'equity_floor', '1.00', 'balance', 'equity', '00:00', 'UTC', 80, '{notify}', true
       from unnest($1::uuid[], $2::uuid[]) as n (id, user_id)`,
      [
        [ids.ruleId, ids.strangersRuleId],
        [owner.user.id, stranger.user.id],
      ],
    );
    await tx.plant(
      `insert into risk_states (rule_id, terminal_id, host_id, marks) values ($1, $2, $3, '{"days": []}')`,
      [...[ids.ruleId, terminalId, otherHost.id]],
    );
    await tx.plant(
      `insert into risk_breaches (id, user_id, rule_id, rule_name, kind, rule_actions, terminal_id, terminal_name, host_id, at,
         decided_at, value, limit_at, closed, total, left_open, actions)
       select id, user_id, rule, 'r', 'equity_floor', '{notify}', terminal, 't', $5, at, at, '0', '1', 0, 0, '[]', '[]'
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], array[now(), now() - interval '1 hour'])
         as n (id, user_id, rule, terminal, at)`,
      [
        [ids.breachId, randomUUID()],
        [owner.user.id, stranger.user.id],
        [ids.ruleId, ids.strangersRuleId],
        [terminalId, strangersTerminalId],
        host.id,
      ],
    );
    await tx.plant(`update hosts set status = 1 where id = any($1::uuid[])`, [[host.id, otherHost.id]]);
    return look(tx, scene, ids);
  };

const countStates = `select count(*) as total from risk_states`;

export const anothersRisk: Look[] = [
  withRules(async ({ run }, { stranger }) => (await run('list_risk_rules', [stranger.user.id, LOWEST_ID, 10])).length),
  withRules(({ run }, { stranger }) => run('count_risk_rules', [stranger.user.id])),
  ...['find_risk_rule', 'lock_risk_rule', 'delete_risk_rule'].map((name) =>
    withRules(async ({ run }, { stranger }, { ruleId }) => (await run(name, [stranger.user.id, ruleId])).length),
  ),
  withRules(
    async ({ run }, { stranger }, { ruleId }) =>
      (await run('write_risk_rule', [ruleId, stranger.user.id, ...SETTINGS])).length,
  ),
  async ({ run }, { stranger, projectId }) =>
    (await run('hold_project_of_risk_rule', [stranger.user.id, projectId])).length,
  async ({ run }, { stranger, terminalId }) =>
    (await run('find_terminals_of_risk_rule', [stranger.user.id, [terminalId]])).length,
  async ({ run }, { stranger }) => (await run('list_terminals_to_try', [stranger.user.id, true, null, []])).length,
  withRules(async ({ run, plant }, { otherHost, terminalId }, { ruleId }) => {
    await plant('delete from risk_states', []);
    await run('take_risk_states', [
      otherHost.id,
      [terminalId],
      [ruleId],
      ['0'],
      ['1'],
      ['1'],
      [null],
      [0],
      [null],
      [null],
      [null],
    ]);
    return plant(countStates, []);
  }),
  withRules(async ({ run, plant }, { host, terminalId }, { strangersRuleId }) => {
    await plant('delete from risk_states', []);
    await run('take_risk_states', [
      host.id,
      [terminalId],
      [strangersRuleId],
      ['0'],
      ['1'],
      ['1'],
      [null],
      [0],
      [null],
      [null],
      [null],
    ]);
    return plant(countStates, []);
  }),
  withRules(
    async ({ run }, { stranger }, { ruleId }) =>
      (await run('list_risk_states', [stranger.user.id, ruleId, LOWEST_ID, 10])).length,
  ),
  withRules(async ({ run }, { owner }, { ruleId }) =>
    (await run('list_risk_states', [owner.user.id, ruleId, LOWEST_ID, 10])).map((row) => row.is_watched),
  ),
  withRules(async ({ run }, { terminalId }) =>
    (await run('list_risk_states_of_terminals', [[terminalId]])).map((row) => row.is_watched),
  ),
  withRules(async ({ run }, { otherHost }) => (await run('list_guarded_terminals', [otherHost.id])).length),
  withRules(async ({ run }, { host }) => (await run('list_guarded_terminals', [host.id])).length),
  withRules(async ({ run, plant }, { stranger, terminalId }, { breachId }) => {
    await plant(`update terminals set locked_reason = 'x' where id = $1`, [terminalId]);
    await plant('update risk_breaches set locked_at = now()', []);
    await run('release_risk_breaches', [terminalId, stranger.user.id, true, '{}', true]);
    return plant('select released_at is not null as is_released from risk_breaches where id = $1', [breachId]);
  }),
  withRules(async ({ run, plant }, { stranger }, { ruleId }) => {
    await plant('insert into risk_rule_versions (rule_id, version) values ($1, 1)', [ruleId]);
    return (await run('list_risk_rule_versions', [stranger.user.id, ruleId])).length;
  }),
  // Of two hosts, one has an agent of before.
  async ({ run, plant }, { owner, stranger, host, otherHost, terminalId }) => {
    await plant(`update terminals set locked_reason = 'x' where id = $1`, [terminalId]);
    await plant('delete from host_risk_versions', []);
    const hosts = [[otherHost.id, host.id]];
    await plant(
      'insert into host_risk_versions (host_id, settings) select unnest($1::uuid[]), unnest(array[3, 1])',
      hosts,
    );
    const own = await run('can_reset_risk_marks', [terminalId, owner.user.id]);
    return [own, await run('can_reset_risk_marks', [terminalId, stranger.user.id])];
  },
  withRules(async ({ run, plant }, { otherHost }, { ruleId }) => {
    await plant('delete from risk_states', []);
    await run('note_unapplied_risk_rules', [otherHost.id, [ruleId]]);
    return plant(countStates, []);
  }),
  withRules(async ({ run, plant }, { host }, { strangersRuleId }) => {
    await plant('delete from risk_states', []);
    await run('note_unapplied_risk_rules', [host.id, [strangersRuleId]]);
    return plant(countStates, []);
  }),
  withRules(
    async ({ run }, { stranger }) => (await run('list_risk_breaches', [stranger.user.id, null, null, null, 10])).length,
  ),
  withRules(
    async ({ run }, { stranger }, { breachId }) =>
      (await run('list_risk_breaches', [stranger.user.id, breachId, null, null, 10])).length,
  ),
  withRules(
    async ({ run }, { otherHost, terminalId }, { ruleId }) =>
      (await run('insert_risk_breach', [randomUUID(), otherHost.id, terminalId, ruleId, 0, '0', '1', null])).length,
  ),
  withRules(
    async ({ run }, { host, terminalId }, { strangersRuleId }) =>
      (await run('insert_risk_breach', [randomUUID(), host.id, terminalId, strangersRuleId, 0, '0', '1', null])).length,
  ),
  withRules(async ({ run, plant }, { otherHost }, { breachId }) => {
    await run('write_risk_breach', [breachId, otherHost.id, 5, 1, 1, '[]', '[]', false, false, null, null]);
    return plant('select closed from risk_breaches where id = $1', [breachId]);
  }),
  withRules(
    async ({ run }, { otherHost, terminalId }, { ruleId }) =>
      (await run('take_risk_warning', [otherHost.id, randomUUID(), terminalId, ruleId])).length,
  ),
  withRules(
    async ({ run }, { host, terminalId }, { strangersRuleId }) =>
      (await run('take_risk_warning', [host.id, randomUUID(), terminalId, strangersRuleId])).length,
  ),
];
