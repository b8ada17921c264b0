import { alertRoutes, DEFAULT_PER_PAGE, parseIsoDateTime } from '@berth/contract';
import { HIGHEST_ID } from '../../../db/ids.ts';
import { acknowledgeAlert, findAlert, listAlerts } from '../../../alerts/alerts.ts';
import { AppError } from '../../../errors.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerAlertRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  const getAlert = async (userId: string, id: string) => {
    const alert = await findAlert(db, userId, id);
    if (!alert) throw AppError.notFound('Alert');
    return alert;
  };

  registerRoute(context, alertRoutes.listAlerts, {
    handle: async ({ caller, query }) => {
      const {
        after,
        status,
        rule_id: ruleId = null,
        resolved_since: since,
        per_page: limit = DEFAULT_PER_PAGE,
      } = query;
      const { id: userId } = caller.user;
      const before = toAfter(after, HIGHEST_ID);
      const isOpen = status === undefined ? null : status === 'open';
      // An id that is none belongs to no rule.
      const isNone = ruleId !== null && !isUuid(ruleId);
      const resolvedSince = since === undefined ? null : parseIsoDateTime(since)!.toISOString();
      const filter = { before, ruleId, isOpen, resolvedSince, limit: limit + 1 };
      const found = isNone ? [] : await listAlerts(db.slowFor(userId), userId, filter);
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Alerts retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, alertRoutes.readAlert, {
    handle: async ({ caller, params }) =>
      toEnvelope('Alert retrieved successfully.', await getAlert(caller.user.id, params.alert_id)),
  });

  registerRoute(context, alertRoutes.acknowledgeAlert, {
    handle: async ({ caller, params: { alert_id: id } }) => {
      const { id: userId } = caller.user;
      if (!(await db.transactionFor(userId, (tx) => acknowledgeAlert(tx, userId, id))))
        throw AppError.notFound('Alert');
      return toEnvelope('Alert acknowledged successfully.', await getAlert(userId, id));
    },
  });
};
