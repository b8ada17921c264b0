import { DEFAULT_PER_PAGE, riskRoutes } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import { listRiskBreaches } from '../../../risk/breaches.ts';
import { exportEvidence } from '../../../risk/evidence/export.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { hasFreshTag, toContentDisposition } from '../../http/send-file.ts';

export const registerRiskBreachRoutes = (context: RouteContext): void => {
  const { clock, db } = context.services;
  registerRoute(context, riskRoutes.listRiskBreaches, {
    handle: async ({ caller, query }) => {
      const {
        after,
        terminal_id: terminalId = null,
        rule_id: ruleId = null,
        per_page: limit = DEFAULT_PER_PAGE,
      } = query;
      const { id: userId } = caller.user;
      const filter = { after: toAfter(after, null), terminalId, ruleId, limit: limit + 1 };
      const found = await listRiskBreaches(db.slowFor(userId), userId, filter);
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Breaches retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, riskRoutes.readBreachEvidence, {
    handle: async ({ caller, params, request, reply }) => {
      const { id: userId } = caller.user;
      const wanted = { userId, breachId: params.breach_id, now: new Date(clock.now()) };
      const found = await exportEvidence(db.slowFor(userId), wanted);
      if (!found) throw AppError.notFound('Breach');
      const etag = `"${found.hash}"`;
      reply
        .header('etag', etag)
        .header('cache-control', 'private, no-cache')
        .header('content-disposition', toContentDisposition(`breach-${params.breach_id}.jsonl`))
        .header('x-content-type-options', 'nosniff');
      if (hasFreshTag(request, etag)) {
        reply.code(304);
        return Buffer.alloc(0);
      }
      reply.type('application/jsonl');
      return Buffer.from(found.text);
    },
  });
};
