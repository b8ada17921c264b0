import { hostRoutes, type JoinTokenRecord } from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import { AppError } from '../../../errors.ts';
import { countJoinTokens, issueJoinToken, listJoinTokens, revokeJoinToken } from '../../../hosts/join-tokens.ts';
import { listRegionCapacity } from '../../../deployment/placement.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { unknownRegion } from '../../../validation/unknown-choices.ts';

const DEFAULT_CAPACITY = 20;

export const registerJoinTokenRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, hostRoutes.listJoinTokens, {
    handle: async (input) => {
      const { request, caller } = input;
      const own = services.db.slowFor(caller.user.id);
      const page = readPageInput<JoinTokenRecord>(hostRoutes.listJoinTokens, input, newestFirst);
      const [data, total] = await Promise.all([listJoinTokens(own, page), countJoinTokens(own)]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, services.config));
      return { ...toEnvelope('Join tokens retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, hostRoutes.revokeJoinToken, {
    handle: async ({ params: { join_token_id: id }, caller, actor }) => {
      await services.db.transactionFor(caller.user.id, async (tx) => {
        const revoked = await revokeJoinToken(tx, id);
        if (!revoked) throw AppError.notFound('Join token');
        const before = { name: revoked.name, region: revoked.region };
        const target = { type: 'join_token', id };
        await recordAudit(tx, actor, { action: 'join_token.revoke', target, userId: null, before });
      });
      return toEnvelope('Join token revoked successfully.', null);
    },
  });

  registerRoute(context, hostRoutes.createJoinToken, {
    handle: async ({ body, caller, actor }) => {
      const regions = await listRegionCapacity(services.db);
      if (!regions.some(({ region }) => region === body.region)) {
        throw unknownRegion();
      }
      const host = { region: body.region, name: body.name, capacity: body.capacity ?? DEFAULT_CAPACITY };
      const { joinToken, expiresAt } = await services.db.transactionFor(caller.user.id, async (tx) => {
        const issued = await issueJoinToken(tx, host);
        const target = { type: 'join_token', id: issued.joinToken.split('|')[0]! };
        await recordAudit(tx, actor, { action: 'join_token.create', target, userId: null, after: host });
        return issued;
      });
      return toEnvelope('Start the agent with this token. It works once.', {
        join_token: joinToken,
        expires_at: expiresAt,
      });
    },
  });
};
