import { abilities } from './abilities.ts';
import { accountStatuses } from './users/values.ts';
import { MAX_CHOICES } from './limits.ts';
import { notificationClasses } from './notifications.ts';
import {
  AnyObject,
  Nullable,
  NullableTimestamp,
  OneOf,
  OneOfNumbers,
  Timestamp,
  Type,
  Uuid,
  type Static,
} from './schema.ts';
import { tradingFields } from './tasks/facts.ts';
import { terminalStatuses, terminalStatusNames } from './terminals/machine.ts';
import { TerminalMove } from './terminals/move.ts';
import { platforms } from './terminals/values.ts';
import { linkStates } from './terminals/samples.ts';

export * from './hosts/overview-state.ts';
export * from './hosts/overview.ts';
export * from './hosts/resources.ts';
export * from './storage-usage.ts';
export * from './tasks/resources.ts';
export * from './tasks/run-resources.ts';
export * from './trading/stop.ts';

/** What the API calls the owner of tokens and notifications. */
export const userModel = 'App\\Models\\User';

export const Profile = Type.Object({
  id: Uuid('Identifier of the user'),
  name: Type.String(),
  email: Type.String(),
  email_verified_at: NullableTimestamp(),
  plan: Type.Integer({ description: '0 = free' }),
  status: OneOfNumbers(accountStatuses, { description: '0 active, 1 suspended, 2 closed' }),
  balance: Type.Number({ description: "In the instance's currency, 2 decimals" }),
  default_project_id: Uuid('Project of terminals created without one'),
  plan_expires_at: NullableTimestamp(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  deleted_at: NullableTimestamp(),
  referrer_id: Nullable('string'),
});
export type Profile = Static<typeof Profile>;

export const UserNotification = Type.Object({
  id: Uuid('Identifier'),
  type: OneOf(notificationClasses),
  notifiable_id: Uuid('The receiving user'),
  notifiable_model: Nullable('string'),
  data: AnyObject('`{id, name}` of the resource, and `count` when it is told more than once; may be empty'),
  read_at: NullableTimestamp(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type UserNotification = Static<typeof UserNotification>;

export const Offers = Type.Object({
  welcome_days: Type.Integer({ description: 'Days left to claim the welcome offer; 0 when expired or used' }),
});

export const Token = Type.Object({
  id: Type.Integer(),
  tokenable_type: Type.String({ examples: [userModel] }),
  tokenable_id: Uuid('Owner'),
  name: Type.String(),
  abilities: Type.Array(OneOf([...abilities, '*'], { description: '`*` stands for all' })),
  last_used_at: NullableTimestamp(),
  expires_at: NullableTimestamp(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type Token = Static<typeof Token>;

/** A browser that is signed in. */
export const BrowserSession = Type.Object({
  id: Type.Integer(),
  device: Type.String({ description: 'Browser and system, as far as they are known', examples: ['Firefox on Linux'] }),
  is_current: Type.Boolean({ description: 'true: the one that asks' }),
  last_used_at: NullableTimestamp('Exact to a minute'),
  expires_at: Timestamp('Unless it is used before'),
  created_at: Timestamp(),
});
export type BrowserSession = Static<typeof BrowserSession>;

export const Project = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  description: Nullable('string'),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  resources_count: Type.Integer({ description: 'Terminals in it' }),
  used_at: NullableTimestamp('When the newest of them was created'),
  url: Nullable('string', {
    description: 'Always null, and so are the limits; existing clients expect these fields',
  }),
  type: Type.Integer({ description: 'Always 0' }),
  charge: Type.Number({ description: 'Always 0' }),
  soft_limit: Nullable<number>('number'),
  hard_limit: Nullable<number>('number'),
  status: Type.Integer({ description: 'Always 0' }),
});
export type Project = Static<typeof Project>;

export const Region = Type.Object({
  id: Type.Integer(),
  label: Type.String(),
  icon: Type.String({ description: 'URL of a flag image' }),
});
export type Region = Static<typeof Region>;

/** The current state of a region, with `include=capacity`. */
export const RegionDetails = Type.Object({
  ...Region.properties,
  free_places: Type.Optional(Type.Integer({ description: 'How many more terminals its hosts take now' })),
  platforms: Type.Optional(Type.Array(OneOf(platforms), { description: 'What its hosts offer' })),
  accepts_terminals: Type.Optional(Type.Boolean({ description: 'Whether new terminals may be created there' })),
});
export type RegionDetails = Static<typeof RegionDetails>;

/** A terminal as lists and creation return it. */
export const TerminalItem = Type.Object({
  id: Uuid('Identifier'),
  project_id: Uuid('Project'),
  name: Type.String(),
  region: Type.Integer(),
  server_name: Type.String(),
  login: Type.String(),
  status: OneOfNumbers(terminalStatuses, { description: 'Terminal status, see the table' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type TerminalItem = Static<typeof TerminalItem>;

/** What its owner writes on a terminal. */
export const labelFields = {
  tags: Type.Optional(Type.Array(Type.String(), { description: 'In alphabetical order' })),
  notes: Type.Optional(Nullable('string', { description: 'null: none' })),
  external_id: Type.Optional(
    Nullable('string', { description: 'What a program of its owner calls it; null: nothing' }),
  ),
};

/** The current state of a terminal, with `include=details`. */
const stateFields = {
  ...labelFields,
  host_name: Type.Optional(Nullable('string', { description: 'null until it has a host' })),
  link: Type.Optional(
    Type.Object({
      state: OneOf([...linkStates, 'unknown'], {
        description: 'Link to the trading server; unknown means that nothing was measured for a minute',
      }),
      since: NullableTimestamp(),
      ping_ms: Nullable<number>('integer'),
    }),
  ),
  screenshot: Type.Optional(
    Type.Unsafe<{ file_id: string; taken_at: string } | null>({
      ...Type.Object({ file_id: Type.String(), taken_at: Timestamp() }),
      type: ['object', 'null'],
      description: 'The last one',
    }),
  ),
  screenshot_every_minutes: Type.Optional(
    Nullable<number>('integer', { description: 'Minutes between automatic screenshots; null means never' }),
  ),
  locked_reason: Type.Optional(
    Nullable('string', { description: 'Why logins, experts, trading and the start are refused; null: not locked' }),
  ),
  move: Type.Optional(
    Type.Unsafe<TerminalMove | null>({
      ...TerminalMove,
      type: ['object', 'null'],
      description: 'Its move to another host; null: it stays where it is',
    }),
  ),
  same_account_as: Type.Optional(
    Type.Unsafe<{ id: string; name: string } | null>({
      ...Type.Object({ id: Uuid('Identifier'), name: Type.String() }),
      type: ['object', 'null'],
      description: 'Another terminal of the owner on the same trading account: experts on both trade twice; null: none',
    }),
  ),
  memory_mb: Type.Optional(Nullable<number>('integer')),
  cpu_percent: Type.Optional(Nullable<number>('number', { description: 'Of one core' })),
  build: Type.Optional(
    Nullable<number>('integer', {
      description:
        'Build that the terminal reported last; it changes when the terminal updates itself; null if not known',
    }),
  ),
};

export const Terminal = Type.Object({
  id: Uuid('Identifier'),
  server_id: Nullable('string', { description: 'Hosting server; null until assigned' }),
  user_id: Uuid('Owner'),
  project_id: Uuid('Project'),
  name: Type.String(),
  path: Nullable('string', { description: 'Installation path on the server; null until installed' }),
  server_name: Type.String(),
  login: Type.String(),
  synced_at: NullableTimestamp('Last synchronisation with the host'),
  status: OneOfNumbers(terminalStatuses),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  deleted_at: NullableTimestamp(),
  region: Type.Integer(),
  platform: OneOf(platforms),
  status_name: OneOf(terminalStatusNames),
  status_reason: Nullable('string', { description: 'Why the terminal is in this status, and what to do' }),
  status_changed_at: Timestamp(),
});
export type Terminal = Static<typeof Terminal>;

/** More details about a terminal, with `include=details`. */
export const TerminalDetails = Type.Object({
  ...Terminal.properties,
  trading_allowed: Type.Optional(tradingFields.trading_allowed),
  trading_reason: Type.Optional(tradingFields.trading_reason),
  ...stateFields,
});
export type TerminalDetails = Static<typeof TerminalDetails>;

/** An item of the list of terminals, with `include=details`. */
export const TerminalListItem = Type.Object({
  ...TerminalItem.properties,
  platform: Type.Optional(Terminal.properties.platform),
  status_name: Type.Optional(Terminal.properties.status_name),
  status_reason: Type.Optional(Terminal.properties.status_reason),
  status_changed_at: Type.Optional(Terminal.properties.status_changed_at),
  ...stateFields,
});
export type TerminalListItem = Static<typeof TerminalListItem>;

/** A file that a user or a task uploaded. */
export const StoredFile = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  sha256: Type.String(),
  type: Type.String({ description: 'Media type, found from the content' }),
  created_at: Timestamp(),
});
export type StoredFile = Static<typeof StoredFile>;

export const TerminalCounts = Type.Object({
  total: Type.Integer(),
  statuses: Type.Array(
    Type.Object({
      status: OneOfNumbers(terminalStatuses),
      status_name: OneOf(terminalStatusNames),
      total: Type.Integer(),
      logged_out: Type.Integer({ description: 'How many of them are logged out, not just stopped' }),
    }),
    { description: 'Statuses with at least one terminal' },
  ),
  choices: Type.Optional(
    Type.Object(
      {
        /** Tags, the most frequent first. */
        tags: Type.Array(Type.String()),
        /** Trading servers, the most frequent first. */
        server_names: Type.Array(Type.String()),
      },
      { description: `With \`include=choices\`: what they have, up to ${MAX_CHOICES} of each, the most frequent` },
    ),
  ),
});
export type TerminalCounts = Static<typeof TerminalCounts>;
