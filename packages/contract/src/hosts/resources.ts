/** Hosts and their terminals, as the API shows them to operators. */
import { Nullable, NullableTimestamp, OneOf, OneOfNumbers, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { platforms } from '../terminals/platforms.ts';
import { terminalStatuses, terminalStatusNames } from '../terminals/machine.ts';
import { HostFacts } from './facts.ts';
import { hostStatuses } from './status.ts';

export const Host = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  region: Type.Integer(),
  platforms: Type.Array(OneOf(platforms)),
  capacity: Type.Integer({ description: 'Terminals that the host takes' }),
  terminals: Type.Integer({ description: 'Terminals that it has' }),
  status: OneOfNumbers(hostStatuses, { description: '0 enrolled, 1 online, 2 lost, 3 retired' }),
  agent_version: Nullable('string'),
  last_seen_at: NullableTimestamp(),
  created_at: Timestamp(),
});
export type Host = Static<typeof Host>;

/** More details about a host, with `include=details`. */
export const HostDetails = Type.Object({
  ...Host.properties,
  places: Type.Optional(
    Type.Integer({ description: 'How many terminals it takes: the smaller of `capacity` and `memory_capacity`' }),
  ),
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
});
export type HostTerminal = Static<typeof HostTerminal>;
