/** Rules as they were, and who made them so: what a breach was decided by, also after its rule was changed or deleted. */
import type { RiskRule } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { RiskRuleSettings } from './queries.ts';

/**
 * The newest of a rule; older ones are removed. One may name 500 terminals, which is 20 kB, and a program can change a
 * rule every second: without a bound a rule would grow for ever. People change one some times per year.
 */
export const MAX_RULE_VERSIONS = 100;

/** Who did something: the token that was used, or the session of a browser, which is a token, too. */
export interface Actor {
  user_id: string;
  token_id: number;
  is_session: boolean;
}

export interface RuleVersion {
  version: number;
  at: string;
  /** null: not known, because the rule is older than its versions. */
  actor: Actor | null;
  /** null: it was deleted. */
  rule: RiskRuleSettings | null;
}

const noteStatement = sql(
  'note_risk_rule_version',
  `with surplus as (
     delete from risk_rule_versions where rule_id = $1::uuid and version <= $2::integer - ${MAX_RULE_VERSIONS}
   )
   insert into risk_rule_versions (rule_id, version, actor, rule) values ($1::uuid, $2::integer, $3, $4)`,
);

const toSettings = ({ id: _, version: _version, created_at: _created, updated_at: _updated, ...rule }: RiskRule) =>
  rule;

/** Notes what a rule is from now on, in the transaction that makes it so. */
export const noteRuleVersion = async (tx: Queryable, actor: Actor, rule: RiskRule): Promise<void> => {
  const values = [rule.id, rule.version, JSON.stringify(actor), JSON.stringify(toSettings(rule))];
  await tx.query(noteStatement, values);
};

/** Notes that it was deleted. */
export const noteRuleDeletion = async (tx: Queryable, actor: Actor, id: string, version: number): Promise<void> => {
  await tx.query(noteStatement, [id, version, JSON.stringify(actor), null]);
};

const listStatement = sql(
  'list_risk_rule_versions',
  `select v.version, v.at, v.actor, v.rule
   from risk_rules r join risk_rule_versions v on v.rule_id = r.id
   where r.id = $2 and r.user_id = $1 order by v.version`,
);

/** What is kept of the user's rule, the newest last; also of one that was deleted, until its row is removed. */
export const listRuleVersions = (db: Queryable, userId: string, ruleId: string): Promise<RuleVersion[]> =>
  db.query(listStatement, [userId, ruleId]);
