import {
  alertRoutes,
  DEFAULT_PER_PAGE,
  MAX_ALERT_RULES,
  toAlertRuleErrors,
  type AlertRule,
  type FieldError,
} from '@berth/contract';
import { ensureReader } from '../../../alerts/records.ts';
import * as rules from '../../../alerts/rules.ts';
import { recordAudit } from '../../../audit/record.ts';
import type { Queryable } from '../../../db/database.ts';
import { createId, LOWEST_ID } from '../../../db/ids.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

/** A terminal is back within minutes so often that nobody wants to hear of it at once. */
const DOWN_MINUTES = 5;

const findUnknown = (field: string, ids: readonly string[], known: readonly string[]): FieldError[] =>
  ids.flatMap((id, index) =>
    known.includes(id.toLowerCase())
      ? []
      : [{ field: `${field}.${index}`, text: `The selected ${field}.${index} is invalid.` }],
  );

/** That a rule names nothing that is not its owner's, and fits together. */
const assertParts = async (tx: Queryable, userId: string, settings: rules.RuleSettings): Promise<void> => {
  const { project_id: projectId, terminal_ids: terminalIds, channel_ids: channelIds } = settings;
  const isProject = projectId === null || (isUuid(projectId) && (await rules.holdProject(tx, userId, projectId)));
  const known = await rules.findKnownParts(tx, userId, settings);
  const errors = [
    ...toAlertRuleErrors({ body: settings }),
    ...(isProject ? [] : [{ field: 'project_id', text: 'The selected project id is invalid.' }]),
    ...findUnknown('terminal_ids', terminalIds ?? [], known.terminal_ids),
    ...findUnknown('channel_ids', channelIds, known.channel_ids),
  ];
  if (errors.length > 0) throw new ValidationError(errors);
};

const toUnique = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

const isOther = (before: AlertRule, after: rules.RuleSettings): boolean =>
  before.when !== after.when ||
  before.project_id !== after.project_id ||
  JSON.stringify(before.terminal_ids) !== JSON.stringify(after.terminal_ids) ||
  (before.enabled && !after.enabled);

const toTarget = (id: string) => ({ type: 'alert_rule', id });

const registerChanges = (context: RouteContext): void => {
  const { db, events } = context.services;

  registerRoute(context, alertRoutes.createAlertRule, {
    handle: async ({ caller, actor, reply, creation, body }) => {
      const { id: userId } = caller.user;
      const settings: rules.RuleSettings = {
        name: body.name,
        when: body.when,
        for_minutes: body.for_minutes ?? (body.when === 'terminal_down' ? DOWN_MINUTES : 0),
        remind_every_minutes: body.remind_every_minutes ?? null,
        project_id: body.project_id ?? null,
        terminal_ids: body.terminal_ids ? toUnique(body.terminal_ids) : null,
        channel_ids: toUnique(body.channel_ids ?? []),
        quiet_hours: body.quiet_hours ?? null,
        enabled: body.enabled ?? true,
      };
      await events.horizon.advance();
      const created = await creation.within(async (tx) => {
        if ((await rules.countRulesLocked(tx, userId)) >= MAX_ALERT_RULES) return undefined;
        await assertParts(tx, userId, settings);
        const rule = await rules.insertRule(tx, userId, createId(), settings);
        await ensureReader(tx, userId, events.horizon.value);
        await rules.wakeAlerts(tx, userId);
        await recordAudit(tx, actor, { action: 'alert_rule.create', target: toTarget(rule.id), after: rule });
        return rule;
      });
      if (created) return toEnvelope('Alert rule created successfully.', created);
      return refuse(
        reply,
        'alert_rule_limit',
        `An account has at most ${MAX_ALERT_RULES} alert rules. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, alertRoutes.updateAlertRule, {
    assertFound: async ({ caller, params }) => {
      if (!(await rules.findRule(db, caller.user.id, params.alert_rule_id))) throw AppError.notFound('Alert rule');
    },
    handle: async ({ caller, actor, params: { alert_rule_id: id }, body }) => {
      const { id: userId } = caller.user;
      const rule = await db.transactionFor(userId, async (tx) => {
        const before = await rules.lockRule(tx, userId, id);
        if (!before) throw AppError.notFound('Alert rule');
        const given = {
          ...body,
          ...(body.terminal_ids ? { terminal_ids: toUnique(body.terminal_ids) } : {}),
          ...(body.channel_ids ? { channel_ids: toUnique(body.channel_ids) } : {}),
        };
        const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const { id: _id, created_at: _created, updated_at: _updated, ...known } = before;
        const settings: rules.RuleSettings = { ...known, ...changes };
        await assertParts(tx, userId, settings);
        if (isOther(before, settings)) await rules.endAlertsOfRule(tx, userId, id);
        const written = await rules.writeRule(tx, userId, id, settings);
        await rules.wakeAlerts(tx, userId);
        const target = toTarget(id);
        await recordAudit(tx, actor, { action: 'alert_rule.update', target, before, after: written });
        return written;
      });
      return toEnvelope('Alert rule updated successfully.', rule);
    },
  });

  registerRoute(context, alertRoutes.deleteAlertRule, {
    handle: async ({ caller, actor, params: { alert_rule_id: id } }) => {
      const { id: userId } = caller.user;
      await db.transactionFor(userId, async (tx) => {
        const before = await rules.lockRule(tx, userId, id);
        if (!before) throw AppError.notFound('Alert rule');
        await rules.endAlertsOfRule(tx, userId, id);
        await rules.deleteRule(tx, userId, id);
        await recordAudit(tx, actor, { action: 'alert_rule.delete', target: toTarget(id), before });
      });
      return toEnvelope('Alert rule deleted successfully.', null);
    },
  });
};

export const registerAlertRuleRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, alertRoutes.listAlertRules, {
    handle: async ({ caller, query: { after, per_page: limit = DEFAULT_PER_PAGE } }) => {
      const { id: userId } = caller.user;
      const from = toAfter(after, LOWEST_ID);
      const { data, pagination } = toPage(await rules.listRules(db.listsFor(userId), userId, from, limit + 1), limit);
      return { ...toEnvelope('Alert rules retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, alertRoutes.readAlertRule, {
    handle: async ({ caller, params }) => {
      const rule = await rules.findRule(db, caller.user.id, params.alert_rule_id);
      if (!rule) throw AppError.notFound('Alert rule');
      return toEnvelope('Alert rule retrieved successfully.', rule);
    },
  });
  registerChanges(context);
};
