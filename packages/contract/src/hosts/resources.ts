/** Hosts and their terminals, as the API shows them to operators. */
import {
  Nullable,
  NullableTimestamp,
  OneOf,
  OneOfNumbers,
  orNull,
  Timestamp,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { platforms } from '../terminals/values.ts';
import { terminalStatuses, terminalStatusNames } from '../terminals/machine.ts';
import { sampleSteps, type SampleStep } from '../terminals/samples.ts';
import { HostFacts } from './facts.ts';
import { hostStatuses } from './status.ts';

export const Host = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  region: Type.Integer(),
  platforms: Type.Array(OneOf(platforms)),
  capacity: Nullable<number>('integer', {
    description: 'Terminals that the operator lets it take; null: as many as fit into its memory',
  }),
  terminals: Type.Integer({ description: 'Terminals that it has' }),
  status: OneOfNumbers(hostStatuses, { description: '0 enrolled, 1 online, 2 lost, 3 retired' }),
  agent_version: Nullable('string'),
  last_seen_at: NullableTimestamp(),
  created_at: Timestamp(),
});
export type Host = Static<typeof Host>;

/** Whether a drain stops the terminals of the host, or lets them go on. */
export const drainedTerminals = ['stop', 'stay'] as const;
export type DrainedTerminals = (typeof drainedTerminals)[number];

/**
 * Why a terminal is left on a host that is being drained. Those that are stopped, or whose installation failed, run no
 * program and are not left.
 */
export const leftReasons = [
  'staying',
  'installing',
  'stopping',
  'task_running',
  'not_stopped',
  'unreachable',
  'deleting',
] as const;
export type LeftReason = (typeof leftReasons)[number];

export const HostDrain = Type.Object({
  started_at: Timestamp('When it began'),
  deadline_at: NullableTimestamp('Nothing is ended by force then: what is left is yours to decide'),
  terminals: OneOf(drainedTerminals, { description: '`stop`: they are stopped, `stay`: they go on' }),
  left: Type.Array(
    Type.Object({
      why: OneOf(leftReasons, {
        description:
          '`staying`: as chosen, `installing`: it is stopped afterwards, `stopping`: the stop is under way, ' +
          '`task_running`: the stop waits for it, `not_stopped`: it failed and is asked for again, ' +
          '`unreachable`: the host is offline, `deleting`: its deletion is under way',
      }),
      terminals: Type.Integer({ description: 'How many' }),
    }),
    { description: 'Terminals on it that still run; empty: the host can be taken away' },
  ),
});
export type HostDrain = Static<typeof HostDrain>;

/** More details about a host, with `include=details`. */
export const HostDetails = Type.Object({
  ...Host.properties,
  places: Type.Optional(
    Type.Integer({ description: 'How many terminals it takes: the smaller of `capacity` and `memory_capacity`' }),
  ),
  cordoned: Type.Optional(Type.Boolean({ description: 'No new terminals are placed on it' })),
  drain: Type.Optional(orNull(HostDrain, { description: 'null unless it is being drained' })),
  memory_capacity: Type.Optional(
    Nullable<number>('integer', { description: 'How many terminals fit into its memory; null if it did not say' }),
  ),
  memory_total_mb: Type.Optional(Nullable<number>('integer')),
  memory_available_mb: Type.Optional(Nullable<number>('integer', { description: 'As of `reported_at`' })),
  disk_total_mb: Type.Optional(Nullable<number>('integer', { description: 'The disk that its terminals lie on' })),
  disk_available_mb: Type.Optional(Nullable<number>('integer', { description: 'As of `reported_at`' })),
  load_percent: Type.Optional(
    Nullable<number>('integer', { description: 'Load average of five minutes, of all its processors' }),
  ),
  offers: Type.Optional(HostFacts.properties.offers),
  reported_at: Type.Optional(NullableTimestamp('When the host reported it')),
});
export type HostDetails = Static<typeof HostDetails>;

/** A terminal on a host, as its operator sees it: whose it is, but not what other users call it, nor its account. */
export const HostTerminal = Type.Object({
  id: Uuid('Identifier'),
  name: Nullable('string', { description: 'Of your own terminals; null for those of other users' }),
  owner: Type.Object(
    { id: Uuid('Identifier'), name: Type.String(), email: Type.String() },
    { description: 'The user whose terminal it is' },
  ),
  platform: OneOf(platforms),
  status: OneOfNumbers(terminalStatuses),
  status_name: OneOf(terminalStatusNames),
  status_changed_at: Timestamp(),
  left_because: Nullable<LeftReason>('string', {
    enum: [...leftReasons, null],
    description: 'Why it still runs, where its host is being drained',
  }),
});
export type HostTerminal = Static<typeof HostTerminal>;

/** The columns of a row of samples of a host, in this order. */
export const hostSampleColumns = ['at', 'load_percent', 'memory_mb', 'disk_mb'] as const;

/** What a host had in use over time. */
export const HostSamples = Type.Object({
  step: Type.Unsafe<SampleStep>({ type: 'integer', enum: [...sampleSteps], description: 'Minutes of one row' }),
  columns: Type.Array(OneOf(hostSampleColumns), {
    description:
      '`at` in Unix seconds, the start of the step; `load_percent` of all processors, on average; `memory_mb` and ' +
      '`disk_mb` in use, the most',
  }),
  rows: Type.Array(Type.Array(Nullable<number>('number')), {
    description: 'Rows, oldest first; there is no row for a step in which the host was offline',
  }),
});
/** What a host had in use over time. */
export type HostSamples = Static<typeof HostSamples>;

/** A token with which an agent enrols a host, without its secret. */
export const JoinTokenRecord = Type.Object({
  id: Uuid('The part of the token before `|`'),
  /** Of the host. */
  name: Type.String(),
  /** Of the host. */
  region: Type.Integer(),
  /** Of the host. */
  capacity: Type.Integer(),
  created_at: Timestamp(),
  expires_at: Timestamp(),
  used_at: NullableTimestamp('When the host enrolled; a used token is of no further use'),
  host_id: Nullable('string', { description: 'The host that used it' }),
});
export type JoinTokenRecord = Static<typeof JoinTokenRecord>;
