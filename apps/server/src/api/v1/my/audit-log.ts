import { auditRoutes } from '@berth/contract';
import { listOwnAuditLog } from '../../../audit/entries.ts';
import { answerAuditLog } from '../../http/audit-answer.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerOwnAuditLogRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, auditRoutes.listOwnAuditLog, {
    handle: (input) => {
      const { id } = input.caller.user;
      return answerAuditLog((filter) => listOwnAuditLog(db.slowFor(id), id, filter), input);
    },
  });
};
