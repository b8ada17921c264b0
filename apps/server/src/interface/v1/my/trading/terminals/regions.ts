import { terminalRoutes } from '@berth/contract';
import { toFlagPath } from '../../../../../regions/flags.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { toPublicUrl } from '../../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerRegionRoutes = (context: RouteContext): void => {
  const { config, regions } = context.services;
  registerRoute(context, terminalRoutes.listRegions, {
    handle: async ({ request }) => {
      const rows = await regions.list();
      const data = rows.map(({ id, label, country }) => ({
        id,
        label,
        icon: toPublicUrl(request, config, toFlagPath(country)).href,
      }));
      return toEnvelope('Regions retrieved successfully.', data);
    },
  });
};
