/** A breach as a host would have reported it, for examples. */
import { withClient, type TestStack } from '@berth/testing';

const left = [{ ticket: '481520', symbol: 'EURUSD', message: 'The market is closed. [10018]' }];

const text = `insert into risk_breaches (id, user_id, rule_id, rule_name, rule_version, kind, rule_actions, terminal_id, terminal_name,
    host_id, decided_at, value, limit_at, first_order_ms, closed, total, left_open, actions, phase)
  select gen_random_uuid(), t.user_id, r.id, r.name, 1, r.kind, r.actions, t.id, t.name, t.host_id, now(), '9698.40', '9700.00', 35,
    2, 3, $3, '[]', 'holding'
  from terminals t join risk_rules r on r.id = $2 where t.id = $1 returning id`;

/** A breach of the rule at the terminal. @returns its id */
export const plantBreach = (
  { databaseUrl }: TestStack,
  { terminalId, riskRuleId }: { terminalId: string; riskRuleId: string },
): Promise<string> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(text, [terminalId, riskRuleId, JSON.stringify(left)]);
    return rows[0]!.id;
  });
