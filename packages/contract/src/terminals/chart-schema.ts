import { AnyObject, Nullable, OneOf, Type, type Static } from '../schema.ts';
import { periods, type Period } from '../tasks/input-values.ts';
import { expertStates, MAX_EXPERT_LINE } from './values.ts';

const Switch = (description: string) =>
  Type.Unsafe<0 | 1 | null>({ type: ['integer', 'null'], enum: [0, 1, null], description });

export const ChartExpert = Type.Object({
  name: Type.String({ maxLength: 255 }),
  inputs: Type.Unsafe<Record<string, string>>(
    AnyObject('Input name → value as the terminal writes it, in its order; the first 1,000'),
  ),
  allow_algo_trading: Switch('Whether this expert may trade; null where it is not known'),
  allow_dll: Switch('Whether it may call DLLs; null where it is not known'),
  sha256: Nullable('string', {
    pattern: '^[0-9a-f]{64}$',
    description: 'Of the program; null where it cannot be read',
  }),
  state: OneOf(expertStates, {
    description:
      '`running`: the terminal loaded it; `failed`: it refused it, or an error of its code ended it; `stopped`: it was ' +
      'removed, or the terminal does not run; `unknown`: nothing was said of it yet',
  }),
  line: Type.Optional(
    Type.String({ maxLength: MAX_EXPERT_LINE, description: 'Only of a failed one: the line of its log that says why' }),
  ),
});

/** A chart of a terminal, as its host sees it. */
export const TerminalChart = Type.Object({
  chart_id: Type.String({ maxLength: 255, description: 'As EA_INSTALL returns it' }),
  symbol: Type.String({ maxLength: 255 }),
  period: Type.Unsafe<Period | null>({
    type: ['string', 'null'],
    enum: [...periods, null],
    description: 'null if tasks do not know it',
  }),
  expert: Type.Unsafe<Static<typeof ChartExpert> | null>({
    ...ChartExpert,
    type: ['object', 'null'],
    description: 'null where there is none',
  }),
});
export type TerminalChart = Static<typeof TerminalChart>;
