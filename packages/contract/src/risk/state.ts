import { Nullable, NullableTimestamp, OneOf, Type, Uuid, type Static } from '../schema.ts';
import { NullableDecimal } from './settings.ts';
import {
  blindReasons,
  markSources,
  tradeDenials,
  type BlindReason,
  type MarkSource,
  type TradeDenial,
} from './values.ts';

/** How a rule fares at one terminal, as its host reported it last. */
export const RiskState = Type.Object({
  terminal_id: Uuid('Terminal'),
  rule_id: Uuid('Rule'),
  used: NullableDecimal('What is used of the limit; null: the rule has not seen the account yet'),
  limit: NullableDecimal('At which the rule acts'),
  warn_at: NullableDecimal('At which it warns'),
  day_start: NullableDecimal('What the account came to at the start of the day, by `basis`'),
  start: NullableDecimal('What it came to when the rule began'),
  high_water: NullableDecimal('What a trailing limit follows: the highest equity, or balance at the end of a day'),
  mark_source: Nullable<MarkSource>('string', {
    enum: [...markSources, null],
    description:
      'Where what the limit counts from comes from: of the day for a `daily_loss`, of the start for other kinds; null: not known',
  }),
  is_watched: Type.Boolean({ description: 'Whether the rule acts at this moment' }),
  blind: Nullable<BlindReason>('string', {
    enum: [...blindReasons, null],
    description: 'Why the host cannot watch; null: it can, or has not reported',
  }),
  currency_ok: Nullable<boolean>('boolean', {
    description: 'Whether the account has the currency of the rule; null: nothing was seen yet',
  }),
  can_act: Nullable<boolean>('boolean', {
    description: 'Whether orders of the rule would be taken now; null: not known',
  }),
  trade_denied_by: Type.Unsafe<TradeDenial[] | null>({
    type: ['array', 'null'],
    items: OneOf(tradeDenials),
    description:
      'What stands against orders: algo trading is off in the terminal (`terminal`, which a rule switches on to close), or for the program (`expert`), the broker takes none from programs, or the password is one that only reads; null: not known',
  }),
  breach_id: Nullable('string', { format: 'uuid', description: 'The breach that stands; null: none' }),
  as_of: NullableTimestamp('Of the numbers'),
});
/** How a rule fares at one terminal, as its host reported it last. */
export type RiskState = Static<typeof RiskState>;
