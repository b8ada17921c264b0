import { accountRoutes } from '@berth/contract';
import { toWelcomeDays } from '../../../../accounts/offers.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

export const registerOfferRoutes = (context: RouteContext): void => {
  const { clock, config } = context.services;
  registerRoute(context, accountRoutes.getOffers, {
    handle: async ({ caller }) => {
      const welcome_days = toWelcomeDays(caller.user, config.welcomeDays, clock.now());
      return toEnvelope('Offers retrieved successfully.', { welcome_days });
    },
  });
};
