/** How the places of an installation are used, as the API shows it to operators. */
import { Nullable, NullableTimestamp, orNull, Type, Uuid, type Static } from '../schema.ts';
import {
  BackupState,
  FailedTask,
  LimitedUser,
  MailState,
  MAX_OVERVIEW_TASKS,
  ServerDisk,
  StuckTask,
  TroubledHost,
} from './overview-state.ts';

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
  waiting_since: NullableTimestamp('Since when the first of them waits; null: none does'),
  accepts_terminals: Type.Boolean({ description: 'Whether new terminals may be created there' }),
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
  public_url: Nullable('string', { description: 'BERTH_PUBLIC_URL; null where it is not set' }),
  data_directory: Type.String({ description: 'Absolute path of the data directory of the server that answers' }),
  installer_sha256: Nullable('string', {
    description: 'SHA-256 of GET /install/host.sh, which makes a machine a host; null where it is not built',
  }),
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
  agents: Type.Array(
    Type.Object({
      version: Type.String({ description: 'Empty: the agent did not say' }),
      hosts: Type.Integer({ description: 'Hosts with this version, online or offline' }),
    }),
    { description: 'Versions of agents, at most 20' },
  ),
  hosts_in_trouble: Type.Array(TroubledHost, { description: 'At most 20, those that are offline first' }),
  stuck_tasks: Type.Array(StuckTask, { description: `Tasks that should have moved, at most ${MAX_OVERVIEW_TASKS}` }),
  failed_tasks: Type.Object(
    {
      total: Type.Integer({ description: 'As far as they are counted, to 10,000' }),
      items: Type.Array(FailedTask, { description: `The newest, at most ${MAX_OVERVIEW_TASKS}` }),
    },
    { description: 'FAILED or TERMINATED within 24 hours' },
  ),
  backup: orNull(BackupState, { description: 'null: no backups are scheduled' }),
  mail: orNull(MailState, { description: 'null: no mail was sent yet' }),
  /** That of the server's data directory. */
  disk: ServerDisk,
  limited_users: Type.Array(LimitedUser, { description: 'Those of `users` who are at a limit' }),
  waiting_any_region: Type.Integer({
    description: 'Terminals that take the first free slot of any region; no region counts them as `waiting`',
  }),
  users: Type.Array(UserPlaces, {
    description: `Users who hold places or wait for them, those with most terminals first; at most ${MAX_OVERVIEW_USERS}`,
  }),
});
export type OperatorOverview = Static<typeof OperatorOverview>;
