import { fileRoutes } from '@berth/contract';
import { listExperts } from '../../../files/experts.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerExpertRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, fileRoutes.listExperts, {
    handle: async ({ caller: { user }, query }) =>
      toEnvelope('Experts retrieved successfully.', await listExperts(db.slowFor(user.id), user.id, query.sha256)),
  });
};
