/** How the places of an installation are used, as the API shows it to operators. */
import { Type, Uuid, type Static } from '../schema.ts';

/** The most users that the overview names. */
export const MAX_OVERVIEW_USERS = 100;

/** The places of a region. */
export const RegionPlaces = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  capacity: Type.Integer({ description: 'Terminals that its hosts take, those that are offline included' }),
  held: Type.Integer({ description: 'Terminals that its hosts have' }),
  free: Type.Integer({ description: 'Places for further terminals on hosts that are online' }),
  waiting: Type.Integer({ description: 'Terminals that wait for a place in this region' }),
});
export type RegionPlaces = Static<typeof RegionPlaces>;

/** A user who holds places or waits for one. */
export const UserPlaces = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  email: Type.String(),
  held: Type.Integer({ description: 'Terminals on hosts' }),
  waiting: Type.Integer({ description: 'Terminals that wait for a place, in whichever region' }),
});
export type UserPlaces = Static<typeof UserPlaces>;

/** The whole installation, as its operator sees it. */
export const OperatorOverview = Type.Object({
  version: Type.String({ description: 'Version of the server that answers' }),
  data_directory: Type.String({ description: 'Absolute path of the data directory of the server that answers' }),
  hosts: Type.Object(
    {
      enrolled: Type.Integer({ description: 'They have never connected' }),
      online: Type.Integer({ description: 'They send heartbeats' }),
      offline: Type.Integer({ description: 'They have gone silent, and their terminals may still be running' }),
      retired: Type.Integer({ description: 'They never come back' }),
    },
    { description: 'How many hosts there are of each status' },
  ),
  regions: Type.Array(RegionPlaces, { description: 'All regions, those without hosts included' }),
  waiting_any_region: Type.Integer({
    description: 'Terminals that take the first free slot of any region; no region counts them as `waiting`',
  }),
  users: Type.Array(UserPlaces, {
    description: `Users who hold places or wait for them, those with most terminals first; at most ${MAX_OVERVIEW_USERS}`,
  }),
});
export type OperatorOverview = Static<typeof OperatorOverview>;
