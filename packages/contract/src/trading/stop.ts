import { Nullable, NullableTimestamp, OneOfNumbers, Timestamp, Type, Uuid, type Static } from '../schema.ts';
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

/** Terminals that the answer names. */
export const MAX_STOP_EXCEPTIONS = 100;

/** A terminal of a stop whose algo trading is not confirmed to be off. */
export const StopException = Type.Object({
  terminal_id: Uuid('Terminal'),
  name: Type.String(),
  status: OneOfNumbers(terminalStatuses),
  is_on_again: Type.Boolean({ description: 'It was confirmed, and has been turned on since' }),
  asked_at: Timestamp('When it was asked last'),
});
export type StopException = Static<typeof StopException>;

/** A stop of all algo trading, which stays until its user ends it. */
export const TradingStop = Type.Object({
  started_at: Timestamp('When it began'),
  is_by_operator: Type.Boolean({
    description: 'An operator stopped it, by suspending the account; it stays after the suspension',
  }),
  run_id: Uuid('The run of tasks that asked all terminals last'),
  total: Type.Integer({ description: 'Terminals that were installed when it began, without those deleted since' }),
  confirmed: Type.Integer({ description: 'Their hosts confirmed that algo trading is off' }),
  unconfirmed: Type.Integer({ description: 'They may still trade. They are asked again until they confirm it' }),
  on_again: Type.Integer({
    description: 'They were confirmed, and have been turned on since. They are not asked again',
  }),
  was_on: Type.Integer({ description: 'Algo trading was on when the stop began: these can be turned on again' }),
  was_unknown: Type.Integer({ description: 'Nobody knew whether it was on: these stay off' }),
  exceptions: Type.Array(StopException, {
    description: `Those that are not confirmed, and those that are on again; ${MAX_STOP_EXCEPTIONS} at most`,
  }),
});
export type TradingStop = Static<typeof TradingStop>;
