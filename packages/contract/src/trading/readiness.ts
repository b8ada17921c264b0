import { Nullable, NullableTimestamp, OneOfNumbers, Type, Uuid, type Static } from '../schema.ts';
import { terminalStatuses } from '../terminals/machine.ts';

/** Unreached terminals that the answer names. */
export const MAX_UNREACHED = 100;

/** A terminal that a stop of all algo trading would not reach now. */
export const UnreachedTerminal = Type.Object({
  terminal_id: Uuid('Terminal'),
  name: Type.String(),
  status: OneOfNumbers(terminalStatuses),
  reason: Type.String({ description: 'Why, for a person' }),
});
export type UnreachedTerminal = Static<typeof UnreachedTerminal>;

/** Which terminals a stop of all algo trading would reach, as of the last check of each. */
export const StopReadiness = Type.Object(
  {
    total: Type.Integer({ description: 'Installed terminals' }),
    reached: Type.Integer({
      description: 'Their hosts are online, and could have turned algo trading off at the last check',
    }),
    unchecked: Type.Integer({ description: 'They have not been checked for more than two hours, or not yet' }),
    about_ms: Nullable<number>('integer', {
      description: 'How long the slowest check of those reached took; null: none is reached',
    }),
    checked_at: NullableTimestamp('When the one of those reached was checked that was checked longest ago'),
    unreached: Type.Array(UnreachedTerminal, {
      description: `Those that were checked, and could not be reached; ${MAX_UNREACHED} at most`,
    }),
  },
  { description: 'Which terminals a stop would reach' },
);
export type StopReadiness = Static<typeof StopReadiness>;
