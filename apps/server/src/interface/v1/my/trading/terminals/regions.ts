import { terminalRoutes } from '@berth/contract';
import { toEnvelope } from '../../../../http/envelope.ts';
import { toPublicUrl } from '../../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { registerFlags, toFlagPath } from '../../../../../regions/flags.ts';

export const registerRegionRoutes = (context: RouteContext): void => {
  const { config, regions } = context.services;
  registerFlags(context.app);
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
