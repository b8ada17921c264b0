import { hostRoutes } from '@berth/contract';
import { issueJoinToken } from '../../../hosts/join-tokens.ts';
import { listRegionCapacity } from '../../../deployment/placement.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { unknownRegion } from '../../../validation/unknown-choices.ts';

const DEFAULT_CAPACITY = 20;

export const registerJoinTokenRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, hostRoutes.createJoinToken, {
    handle: async ({ body }) => {
      const regions = await listRegionCapacity(services.db);
      if (!regions.some(({ region }) => region === body.region)) {
        throw unknownRegion();
      }
      const host = { region: body.region, name: body.name, capacity: body.capacity ?? DEFAULT_CAPACITY };
      const { joinToken, expiresAt } = await issueJoinToken(services.db, host);
      return toEnvelope('Start the agent with this token. It works once.', {
        join_token: joinToken,
        expires_at: expiresAt,
      });
    },
  });
};
