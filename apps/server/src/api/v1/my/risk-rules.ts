import {
  DEFAULT_PER_PAGE,
  findRiskRuleErrors,
  MAX_RISK_RULES,
  parseIsoDateTime,
  riskRoutes,
  toOrderedActions,
  type FieldError,
  type RiskRule,
  type RiskRuleChanges,
} from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import type { Queryable } from '../../../db/database.ts';
import { createId, LOWEST_ID } from '../../../db/ids.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import * as queries from '../../../risk/queries.ts';
import { tryRiskRule } from '../../../risk/trial.ts';
import { noteRuleDeletion, noteRuleVersion } from '../../../risk/rule-versions.ts';
import { listRiskStates } from '../../../risk/states.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { toAfter, toPage, toPageBy } from '../../http/cursor.ts';
import { toActor } from '../../http/caller.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

/** What a rule is for must be the user's: otherwise it would silently watch nothing. */
const assertScope = async (tx: Queryable, userId: string, rule: queries.RiskRuleSettings): Promise<void> => {
  const { project_id: projectId, terminal_ids: terminalIds } = rule;
  if (projectId !== null && !(isUuid(projectId) && (await queries.holdProject(tx, userId, projectId))))
    throw ValidationError.of('project_id', 'The selected project id is invalid.');
  if (terminalIds === null) return;
  const own = await queries.findOwnTerminals(tx, userId, terminalIds);
  const unknown = terminalIds.findIndex((id) => !own.has(id));
  if (unknown >= 0) {
    const field = `terminal_ids.${unknown}`;
    throw ValidationError.of(field, `The selected ${field} is invalid.`, 'GET /v1/my/trading/terminals lists yours.');
  }
};

const hasScope = ({ terminal_ids, project_id, all }: RiskRuleChanges): boolean =>
  terminal_ids !== undefined || project_id !== undefined || all !== undefined;

/** The rule after a change. One scope takes the place of the other, and one kind of limit that of the other. */
const toChanged = (before: RiskRule, changes: RiskRuleChanges): queries.RiskRuleSettings => {
  const { actions, ...given } = changes;
  const scope = hasScope(changes) ? { terminal_ids: null, project_id: null, all: false } : {};
  const limit = {
    ...(given.amount !== undefined && given.amount !== null ? { percent: null, percent_of: 'reference' as const } : {}),
    ...(given.percent !== undefined && given.percent !== null ? { amount: null } : {}),
  };
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...before, ...scope, ...limit, ...defined, ...(actions ? { actions: toOrderedActions(actions) } : {}) };
};

const assertRule = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new ValidationError([...errors]);
};

interface RuleRequest {
  caller: { user: { id: string } };
  params: { rule_id: string };
}
const createAssertion =
  ({ services: { db } }: RouteContext) =>
  async ({ caller, params }: RuleRequest): Promise<RiskRule> => {
    const rule = await queries.findRiskRule(db, caller.user.id, params.rule_id);
    if (!rule) throw AppError.notFound('Rule');
    return rule;
  };

const toTarget = (id: string) => ({ type: 'risk_rule', id });

const registerChanges = (context: RouteContext): void => {
  const { db } = context.services;
  const assertFound = createAssertion(context);

  registerRoute(context, riskRoutes.createRiskRule, {
    handle: async ({ caller, actor, creation, reply, body }) => {
      const { id: userId } = caller.user;
      const settings = queries.toRiskRuleSettings(body);
      const rule = await creation.within(async (tx) => {
        if ((await queries.countRiskRulesLocked(tx, userId)) >= MAX_RISK_RULES) return undefined;
        await assertScope(tx, userId, settings);
        const created = await queries.insertRiskRule(tx, { id: createId(), userId }, settings);
        await noteRuleVersion(tx, toActor(caller), created);
        await recordAudit(tx, actor, { action: 'risk_rule.create', target: toTarget(created.id), after: created });
        return created;
      });
      if (rule) return toEnvelope('Risk rule created successfully.', rule);
      return refuse(
        reply,
        'risk_rule_limit',
        `An account has at most ${MAX_RISK_RULES} risk rules. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, riskRoutes.updateRiskRule, {
    assertFound,
    handle: async ({ caller, actor, params, body }) => {
      const { id: userId } = caller.user;
      const rule = await db.transactionFor(userId, async (tx) => {
        const before = await queries.lockRiskRule(tx, userId, params.rule_id);
        if (!before) throw AppError.notFound('Rule');
        const changed = toChanged(before, body);
        const { terminal_ids: ids } = changed;
        const written = { ...changed, terminal_ids: ids && [...new Set(ids.map((id) => id.toLowerCase()))] };
        const isGivenTwice = ['terminal_ids', 'project_id', 'all'].filter((name) => name in body).length > 1;
        assertRule(findRiskRuleErrors({ ...written, ...(isGivenTwice ? body : {}) }));
        if (hasScope(body)) await assertScope(tx, userId, written);
        if (queries.isSameRule(before, written)) return before;
        const after = await queries.writeRiskRule(tx, { id: before.id, userId }, written);
        if (!after) return undefined;
        await noteRuleVersion(tx, toActor(caller), after);
        await recordAudit(tx, actor, { action: 'risk_rule.update', target: toTarget(after.id), before, after });
        return after;
      });
      if (!rule) throw AppError.notFound('Rule');
      return toEnvelope('Risk rule updated successfully.', rule);
    },
  });

  registerRoute(context, riskRoutes.deleteRiskRule, {
    handle: async ({ caller, actor, params }) => {
      const { id: userId } = caller.user;
      const id = params.rule_id;
      await db.transactionFor(userId, async (tx) => {
        const before = await queries.lockRiskRule(tx, userId, id);
        const version = await queries.deleteRiskRule(tx, userId, id);
        if (version === undefined) throw AppError.notFound('Rule');
        await noteRuleDeletion(tx, toActor(caller), id, version);
        await recordAudit(tx, actor, { action: 'risk_rule.delete', target: toTarget(id), before: before ?? null });
      });
      return toEnvelope('Risk rule deleted successfully.', null);
    },
  });
};

export const registerRiskRuleRoutes = (context: RouteContext): void => {
  const { db, clock, trials } = context.services;
  const assertFound = createAssertion(context);
  registerChanges(context);

  registerRoute(context, riskRoutes.readRiskRule, {
    handle: async (input) => toEnvelope('Risk rule retrieved successfully.', await assertFound(input)),
  });

  registerRoute(context, riskRoutes.readRiskState, {
    assertFound,
    handle: async (input) => {
      const { after, per_page: limit = 100 } = input.query;
      const from = toAfter(after, LOWEST_ID);
      const { id: ruleId } = await assertFound(input);
      const { id: userId } = input.caller.user;
      const own = db.slowFor(userId);
      const found = await listRiskStates(own, { userId, ruleId, after: from, limit: limit + 1 });
      const { data, pagination } = toPageBy(found, limit, ({ terminal_id: id }) => id);
      return { ...toEnvelope('Risk state retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, riskRoutes.tryRiskRule, {
    handle: async ({ caller, body }) => {
      const { id: userId } = caller.user;
      const settings = queries.toRiskRuleSettings(body.rule);
      const own = db.slowFor(userId);
      await assertScope(own, userId, settings);
      const [from, to] = [parseIsoDateTime(body.from)!, parseIsoDateTime(body.to)!];
      const period = { from, to, now: new Date(clock.now()) };
      const found = await trials.run(userId, () => tryRiskRule(own, userId, settings, period));
      return toEnvelope('Risk rule tried successfully.', found);
    },
  });

  registerRoute(context, riskRoutes.listRiskRules, {
    handle: async ({ caller, query: { after, per_page: limit = DEFAULT_PER_PAGE } }) => {
      const { id: userId } = caller.user;
      const from = toAfter(after, LOWEST_ID);
      const found = await queries.listRiskRules(db.listsFor(userId), userId, from, limit + 1);
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Risk rules retrieved successfully.', data), pagination };
    },
  });
};
