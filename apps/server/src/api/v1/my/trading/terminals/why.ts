import { whyRoutes } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { explain } from '../../../../../terminals/why/explain.ts';
import { findOwnFacts } from '../../../../../terminals/why/facts.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerWhyRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, whyRoutes.explainTerminal, {
    handle: async ({ params, caller: { user } }) => {
      const facts = await findOwnFacts(services.db.slowFor(user.id), services, user.id, params.terminal_id);
      if (!facts) throw AppError.notFound('Terminal');
      return toEnvelope('Explained successfully.', explain(facts, 'owner'));
    },
  });
};
