/** Why a terminal is not running, as the API says it to its owner and to operators. */
import { Nullable, OneOf, OneOfNumbers, orNull, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { terminalStatuses, terminalStatusNames } from './machine.ts';
import { platforms, whyCauses, whyChecks } from './values.ts';

export const WhyCheck = Type.Object({
  check: OneOf(whyChecks),
  ok: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'null: not looked at, because something before it is wrong',
  }),
  message: Type.String(),
  next_step: Nullable('string', { description: 'What to do; null where nothing is wrong' }),
});

/** What the reader of the answer can do differs between owners and operators, and so do the texts. */
export const TerminalWhy = Type.Object({
  answer: Type.String({ description: 'In one sentence: that it runs, or the first thing that is wrong' }),
  cause: Type.Unsafe<(typeof whyCauses)[number] | null>({
    type: ['string', 'null'],
    enum: [...whyCauses, null],
    description: 'The same for programs; null: it runs, and nothing is wrong',
  }),
  since: Timestamp('Since when it has been so'),
  chain: Type.Array(WhyCheck, { description: 'What has to be right for a terminal to run, in this order' }),
});
export type TerminalWhy = Static<typeof TerminalWhy>;

/** A terminal of any user, as operators see it: without what is secret. */
export const OperatorTerminal = Type.Object({
  id: Uuid('Identifier'),
  name: Type.String(),
  user: Type.Object(
    { id: Uuid('Identifier'), name: Type.String(), email: Type.String() },
    { description: 'Whose terminal it is' },
  ),
  region: Type.Integer(),
  platform: OneOf(platforms),
  status: OneOfNumbers(terminalStatuses),
  status_name: OneOf(terminalStatusNames),
  status_reason: Nullable('string', { description: 'As its host or the service says it' }),
  since: Timestamp('When it came to its status'),
  host: orNull(Type.Object({ id: Uuid('Identifier'), name: Type.String() }), { description: 'null: it has none' }),
  queue_place: Nullable<number>('integer', {
    description: 'Whose turn it is for a slot: 1 is next; null for a terminal that does not wait',
  }),
  created_at: Timestamp(),
});
export type OperatorTerminal = Static<typeof OperatorTerminal>;
