import { hostRoutes, HostStatus, type OperatorOverview } from '@berth/contract';
import type { Queryable } from '../../../db/database.ts';
import { countWaitingAnyRegion, listRegionPlaces, listUserPlaces } from '../../../hosts/places.ts';
import { countHosts } from '../../../metrics/queries.ts';
import { VERSION } from '../../../version.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

type Places = Omit<OperatorOverview, 'version' | 'data_directory'>;

/** One after another: an operator's page may wait, and leaves a connection to others. */
const readPlaces = async (db: Queryable): Promise<Places> => {
  const hosts = await countHosts(db);
  const count = (status: HostStatus) => hosts.find((row) => row.status === status)?.total ?? 0;
  return {
    hosts: {
      enrolled: count(HostStatus.ENROLLED),
      online: count(HostStatus.ONLINE),
      offline: count(HostStatus.LOST),
      retired: count(HostStatus.RETIRED),
    },
    regions: await listRegionPlaces(db),
    waiting_any_region: await countWaitingAnyRegion(db),
    users: await listUserPlaces(db),
  };
};

export const registerOperatorOverviewRoutes = (context: RouteContext): void => {
  const { db, config } = context.services;
  registerRoute(context, hostRoutes.getOperatorOverview, {
    handle: async ({ caller }) => {
      const places = await db.shared.read('operator overview', () => readPlaces(db.slowFor(caller.user.id)));
      const overview = { version: VERSION, data_directory: config.dataDir, ...places };
      return toEnvelope('Overview retrieved successfully.', overview);
    },
  });
};
