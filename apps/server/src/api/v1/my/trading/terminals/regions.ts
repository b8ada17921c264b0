import { terminalRoutes } from '@berth/contract';
import { listRegionCapacity } from '../../../../../deployment/placement.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { toFlagPath } from '../../../../flags.ts';
import { toPublicUrl } from '../../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerRegionRoutes = (context: RouteContext): void => {
  const { config, db, regions } = context.services;
  registerRoute(context, terminalRoutes.listRegions, {
    handle: async ({ caller, request, query }) => {
      const [rows, capacities] = await Promise.all([
        regions.list(),
        query.include === 'capacity' ? listRegionCapacity(db) : [],
      ]);
      const { region_ids: allowed } = caller.user;
      const open = rows.filter(({ id }) => allowed?.includes(id) ?? true);
      const data = open.map(({ id, label, country }) => {
        const icon = toPublicUrl(request, config, toFlagPath(country)).href;
        const capacity = capacities.find(({ region }) => region === id);
        if (!capacity) return { id, label, icon };
        const { free: free_places, platforms, accepts_terminals } = capacity;
        return { id, label, icon, free_places, platforms, accepts_terminals };
      });
      return toEnvelope('Regions retrieved successfully.', data);
    },
  });
};
