import { auditRoutes } from '@berth/contract';
import { listAuditLog } from '../../../audit/entries.ts';
import { answerAuditLog } from '../../http/audit-answer.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerAuditLogRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, auditRoutes.listAuditLog, {
    handle: (input) => answerAuditLog((filter) => listAuditLog(db.slowFor(input.caller.user.id), filter), input),
  });
};
