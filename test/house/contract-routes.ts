import { agentRoutes, publicGroups, type RouteContract } from '@berth/contract';

export interface NamedRoute {
  /** As the server registers it: `accountRoutes.getProfile`. */
  name: string;
  route: RouteContract;
}

const groups = { ...publicGroups, agentRoutes };

/** Every route of the contract, in the order of the documentation. */
export const routes: readonly NamedRoute[] = Object.entries(groups).flatMap(([group, members]) =>
  Object.entries(members as Record<string, RouteContract>).map(([name, route]) => ({
    name: `${group}.${name}`,
    route,
  })),
);
