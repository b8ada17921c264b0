/** Measurements of terminals, as they are shown. */
import { Nullable, OneOf, Type, Uuid, type Static } from '../schema.ts';
import { tradingFields } from '../tasks/facts.ts';
import { sampleColumns, sampleSteps, type SampleStep } from './samples.ts';

const Percent = (description: string) => Nullable<number>('number', { description });

/** Measurements of a terminal over a period. */
export const Samples = Type.Object({
  step: Type.Unsafe<SampleStep>({ type: 'integer', enum: [...sampleSteps], description: 'Minutes of one row' }),
  columns: Type.Array(OneOf(sampleColumns), {
    description:
      '`at` in Unix seconds, the start of the step; `link` in percent of the step, null where the terminal was stopped on ' +
      'purpose; `memory_mb` and `disk_mb` the most, `cpu_percent` (of one core) and `ping_ms` on average',
  }),
  rows: Type.Array(Type.Array(Nullable<number>('number')), {
    description: 'Rows, oldest first; there is no row for a step in which nothing was measured',
  }),
  uptime: Type.Object(
    { day: Percent('24 hours'), week: Percent('7 days'), month: Percent('30 days') },
    {
      description:
        'Percent of the time in which the terminal was linked to its trading server, since the first sample in it; what ' +
        'nobody measured counts as not linked, being stopped on purpose does not count; null where nothing is known',
    },
  ),
});
export type Samples = Static<typeof Samples>;

export const TerminalOverview = Type.Object({
  terminal_id: Uuid('Identifier of the terminal'),
  trading_allowed: tradingFields.trading_allowed,
  hours: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'Unix seconds, the start of the hour' }),
      link: Nullable<number>('number', {
        description: 'Percent of the hour; null before the first sample, and where the terminal was stopped on purpose',
      }),
      ping_ms: Nullable<number>('number', { description: 'On average' }),
    }),
    { description: 'The last 24 hours, oldest first; the last one is under way' },
  ),
});
export type TerminalOverview = Static<typeof TerminalOverview>;
