/** A terminal on its way to another host. */
import { Nullable, OneOf, Timestamp, Type, type Static } from '../schema.ts';

export const moveStates = ['stopping', 'installing', 'returning'] as const;
export type MoveState = (typeof moveStates)[number];

/** How long a terminal may take to be set up on its new host. */
export const MAX_MOVE_MINUTES = 60;

/** The move of a terminal that goes on. */
export const TerminalMove = Type.Object({
  state: OneOf(moveStates, {
    description:
      '`stopping`: on the host where it was; `installing`: on the new one; `returning`: that failed, it goes back',
  }),
  region: Type.Integer({ description: 'Where it goes' }),
  /** When it was asked for, ISO 8601, UTC. */
  started_at: Timestamp(),
  reason: Nullable('string', { description: 'Why it goes back; null: it does not' }),
});
export type TerminalMove = Static<typeof TerminalMove>;
