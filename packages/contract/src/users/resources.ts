/** Users, as the API shows them to operators: what they may use, and no secret of theirs. */
import { Nullable, NullableTimestamp, OneOf, orNull, Timestamp, Type, Uuid, type Static } from '../schema.ts';

import { operatorRoles, type OperatorRole } from './values.ts';

export const Role = Nullable<OperatorRole>('string', {
  enum: [...operatorRoles, null],
  description: 'What an operator may do; null: no operator',
});

export const userStatuses = ['active', 'suspended', 'closed'] as const;
export type UserStatus = (typeof userStatuses)[number];

/**
 * What a suspension does to the terminals of a user: nothing, switch off their algo trading, or stop them. What waits
 * for the terminals is canceled unless they are kept.
 */
export const suspendedTerminals = ['keep', 'trading_off', 'stop'] as const;
export type SuspendedTerminals = (typeof suspendedTerminals)[number];

/** Each null: what the plan allows. */
export const UserLimits = Type.Object({
  terminals: Nullable<number>('integer', {
    minimum: 0,
    maximum: 1_000_000,
    description: 'Terminals that the user may have; null: as many as the plan allows',
  }),
  storage_mib: Nullable<number>('integer', {
    minimum: 0,
    maximum: 16_777_216,
    description: 'What the user may store, in MiB; null: what the plan allows',
  }),
  regions: Type.Unsafe<number[] | null>({
    type: ['array', 'null'],
    items: { type: 'integer', minimum: 0, maximum: 32_767 },
    minItems: 1,
    maxItems: 100,
    description: 'Regions for new terminals; null: all',
  }),
});
export type UserLimits = Static<typeof UserLimits>;

/** Why a user is suspended, and what became of the terminals. */
export const Suspension = Type.Object({
  reason: Type.String({ description: 'For operators' }),
  terminals: OneOf(suspendedTerminals, { description: 'What became of the terminals' }),
  at: Timestamp(),
});

/** A user, as operators see one. */
export const ManagedUser = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  email: Type.String(),
  external_id: Nullable('string', { description: 'For programs of the operator; unique' }),
  plan: Type.Integer({ description: '0 = free' }),
  /** What the user may have; null: as the plan allows. */
  limits: UserLimits,
  status: OneOf(userStatuses),
  suspension: orNull(Suspension, { description: 'null: the account is not suspended' }),
  is_operator: Type.Boolean(),
  role: Role,
  closes_at: NullableTimestamp('When what a closed account has left is removed; null: it is not closed'),
  terminals: Type.Integer({ description: 'Terminals that the user has' }),
  storage_used_mib: Type.Integer({ description: 'What the user stores, in MiB, rounded up' }),
  created_at: Timestamp(),
  last_seen_at: NullableTimestamp('When one of the tokens or sessions was used last; null: none was'),
});
/** A user, as operators see one. */
export type ManagedUser = Static<typeof ManagedUser>;

/** What an operator gives to whom they invite. */
export const Invitation = Type.Object({
  id: Uuid('Identifier'),
  email: Nullable('string', { description: 'The invitation is for this address alone; null: for any' }),
  plan: Type.Integer({ description: '0 = free' }),
  /** What the user may have; null: as the plan allows. */
  limits: UserLimits,
  created_at: Timestamp(),
  expires_at: Timestamp(),
});
/** What an operator gives to whom they invite. */
export type Invitation = Static<typeof Invitation>;

/** A session of a browser whose user has given the password again. */
export const ConfirmedSession = Type.Object({ confirmed_until: Timestamp('Until when the session may do it') });
export type ConfirmedSession = Static<typeof ConfirmedSession>;

/** A link with which a user sets a password. It works once. */
export const PasswordLink = Type.Object({
  url: Type.String({ description: 'Shown only this once: whoever has it can sign in as the user' }),
  expires_at: Timestamp(),
});
export type PasswordLink = Static<typeof PasswordLink>;
