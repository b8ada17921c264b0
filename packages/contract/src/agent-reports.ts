/** What hosts report of their terminals: measurements, charts and accounts. */
import { Line, Nullable, OneOf, Type, type Static, Uuid } from './schema.ts';
import { TerminalChart } from './terminals/chart-schema.ts';
import { MAX_REPORTED_CHARTS } from './terminals/charts.ts';
import { linkStates, MAX_BUILD } from './terminals/samples.ts';
import { AccountState, NullableTicket, ReportedDeal } from './trading/account.ts';
import { MAX_REPORTED_DEALS } from './trading/limits.ts';

/** Null, or a number from 0 to the maximum. */
const Measured = (maximum: number, description: string) =>
  Nullable<number>('number', { minimum: 0, maximum, description });

/** A host's current measurement of one terminal. Null means that it could not be determined. */
export const Sample = Type.Object({
  terminal_id: Uuid('Terminal'),
  link: OneOf(linkStates, { description: 'Whether it is logged in at its trading server' }),
  ping_ms: Measured(3_600_000, 'To the trading server, as the terminal says'),
  memory_mb: Measured(67_108_864, 'Of all its processes'),
  cpu_percent: Measured(1_000_000, 'Of one core, since the sample before'),
  disk_mb: Measured(1_000_000_000, 'Everything of it on the disk'),
  build: Type.Optional(
    Nullable<number>('integer', {
      minimum: 0,
      maximum: MAX_BUILD,
      description: 'That runs; null: it has not said one. Absent from hosts that do not know of it',
    }),
  ),
});
export type Sample = Static<typeof Sample>;

/** All charts of one terminal. The server truncates what exceeds `toBoundedCharts`. */
export const ReportedCharts = Type.Object({
  terminal_id: Uuid('Terminal'),
  charts: Type.Array(TerminalChart, { maxItems: MAX_REPORTED_CHARTS }),
  truncated: Type.Boolean({ description: 'There are more, or longer ones' }),
});
export type ReportedCharts = Static<typeof ReportedCharts>;

/** What a host says of the account that a terminal is logged in to. With neither a state nor deals it asks for the cursor. */
export const ReportedAccount = Type.Object({
  terminal_id: Uuid('Terminal'),
  login: Line({ maxLength: 64, description: 'Of the account, as the terminal says' }),
  server: Line({ maxLength: 128, description: 'Trading server, as the terminal says' }),
  state: Type.Optional(AccountState),
  deals: Type.Optional(
    Type.Object({
      after: NullableTicket('Deal that they follow without a gap; null: they begin with the first'),
      deals: Type.Array(ReportedDeal, { maxItems: MAX_REPORTED_DEALS, description: 'Oldest first, tickets rise' }),
      is_complete: Type.Boolean({ description: 'There is none after the last one' }),
      complete_until: Type.String({
        maxLength: 40,
        isoDateTime: true,
        description: 'Until then the terminal has all, if this is complete',
      }),
    }),
  ),
});
export type ReportedAccount = Static<typeof ReportedAccount>;
