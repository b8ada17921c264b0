import { accountRoutes } from '@berth/contract';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

export const registerUsageRoutes = (context: RouteContext): void => {
  const { storage } = context.services;
  registerRoute(context, accountRoutes.getUsage, {
    handle: async ({ caller }) => toEnvelope('Usage retrieved successfully.', await storage.read(caller.user.id)),
  });
};
