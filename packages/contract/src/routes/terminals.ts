import type { Ability } from '../abilities.ts';
import type { FieldError } from '../errors.ts';
import { Samples, TerminalOverview } from '../terminals/sample-resources.ts';
import { parseIsoDateTime } from '../dates.ts';
import { MAX_SCREENSHOT_MINUTES, MAX_TAG_CHARACTERS } from '../limits.ts';
import {
  CreatedTask,
  RegionDetails,
  TerminalCounts,
  TerminalDetails,
  TerminalItem,
  TerminalListItem,
} from '../resources.ts';
import {
  Envelope,
  EnvelopeOrRefusal,
  Line,
  notEmpty,
  Nullable,
  NullableTimestamp,
  OneOf,
  pageQuery,
  AnyPaginationWithTo,
  Type,
  WarningEnvelopeOrRefusal,
  warningsQuery,
} from '../schema.ts';
import { labelChanges, NewTerminal } from '../terminals/new-terminal.ts';
import { TerminalChart } from '../terminals/chart-schema.ts';
import { MAX_OVERVIEW_TERMINALS, sampleSteps, type SampleStep } from '../terminals/samples.ts';
import { manyTerminalRoutes } from './many-terminals.ts';
import { defineRoute } from './route.ts';

const user = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Terminals', auth: 'user', ability }) as const;

const toDateRangeErrors = ({ query }: { query: Record<string, unknown> }): FieldError[] =>
  typeof query.date_from === 'string' && typeof query.date_to === 'string' && query.date_to < query.date_from
    ? [{ field: 'date_to', text: 'The date to field must be a date after or equal to date from.' }]
    : [];

/** Unix milliseconds; undefined for anything but a time, which its schema refuses. */
const toTime = (text: unknown): number | undefined =>
  typeof text === 'string' ? parseIsoDateTime(text)?.getTime() : undefined;

/** The rule of a query with `from` and `to`. */
export const toTimeRangeErrors = ({ query }: { query: Record<string, unknown> }): FieldError[] => {
  const [from, to] = [toTime(query.from), toTime(query.to)];
  return from !== undefined && to !== undefined && to < from
    ? [{ field: 'to', text: 'The to field must be a date after or equal to from.' }]
    : [];
};

/** The rule of a query's `ids`. */
export const toIdsErrors =
  (maxItems: number) =>
  ({ query }: { query: Record<string, unknown> }): FieldError[] =>
    typeof query.ids === 'string' && query.ids.split(',').length > maxItems
      ? [{ field: 'ids', text: `The ids field must not have more than ${maxItems} items.` }]
      : [];

/** Filters of terminals, both in a list's query and in the body of an operation on many. */
export const terminalFilters = {
  date_from: Type.Optional(
    Type.String({ ...notEmpty, isoDate: true, description: 'Created on or after, YYYY-MM-DD, UTC' }),
  ),
  date_to: Type.Optional(
    Type.String({ ...notEmpty, isoDate: true, description: 'Created on or before, YYYY-MM-DD, UTC' }),
  ),
  search: Type.Optional(Type.String({ ...notEmpty, maxLength: 255, description: 'In name, login and server name' })),
  status: Type.Optional(
    Type.String({
      ...notEmpty,
      terminalStatusList: true,
      description: 'Statuses or their names, comma-separated: `3` or `failed,login_failed`',
    }),
  ),
  project_id: Type.Optional(Type.String({ ...notEmpty, maxLength: 255 })),
  region: Type.Optional(Type.Integer(notEmpty)),
  tag: Type.Optional(Type.String({ ...notEmpty, maxLength: MAX_TAG_CHARACTERS, description: 'With this tag' })),
  external_id: Type.Optional(Type.String({ ...notEmpty, maxLength: 255, description: 'With this external id' })),
};

export const terminalRoutes = {
  listRegions: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/regions',
    summary: 'List the regions',
    query: Type.Object({
      include: Type.Optional(
        OneOf(['capacity'], {
          description: 'Adds how many terminals each takes at the moment, and of which platforms',
        }),
      ),
    }),
    response: Envelope(Type.Array(RegionDetails)),
  }),
  listTerminals: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals',
    summary: 'List terminals',
    query: Type.Object({
      ...pageQuery(),
      ...terminalFilters,
      include: Type.Optional(OneOf(['details'], { description: 'Adds what is known of each at the moment' })),
      sort_by: Type.Optional(
        OneOf(['created_at', 'name', 'server_name', 'login', 'status', 'attention'], {
          default: 'created_at',
          description: '`attention`, descending: failed first, then without a link, on the way, active, stopped',
        }),
      ),
      sort_direction: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })),
    }),
    rules: toDateRangeErrors,
    response: Type.Object({ data: Type.Array(TerminalListItem), pagination: AnyPaginationWithTo }),
  }),
  countTerminals: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/counts',
    summary: 'Count terminals by their status',
    query: Type.Object({
      ...terminalFilters,
      include: Type.Optional(
        OneOf(['choices'], { description: 'Adds the tags and the trading servers that they have' }),
      ),
    }),
    rules: toDateRangeErrors,
    response: Envelope(TerminalCounts),
  }),
  getOverview: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/overview',
    summary: 'Read the last day of many terminals by the hour, and whether their experts may trade',
    query: Type.Object({
      ids: Type.String({
        minLength: 1,
        maxLength: MAX_OVERVIEW_TERMINALS * 40,
        description: `Ids, comma-separated, up to ${MAX_OVERVIEW_TERMINALS}`,
      }),
    }),
    rules: toIdsErrors(MAX_OVERVIEW_TERMINALS),
    response: Envelope(Type.Array(TerminalOverview)),
  }),
  createTerminal: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'terminal.create',
    url: '/v1/my/trading/terminals',
    summary: 'Create a terminal; it is deployed after the response',
    query: Type.Object(warningsQuery),
    errors: ['storage_full'],
    isIdempotent: true,
    body: NewTerminal,
    response: WarningEnvelopeOrRefusal(TerminalItem),
  }),
  ...manyTerminalRoutes,
  getTerminal: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id',
    summary: 'Read a terminal',
    query: Type.Object({
      include: Type.Optional(
        OneOf(['details'], { description: 'Adds what is known at the moment, `trading_allowed` among it' }),
      ),
    }),
    response: Envelope(TerminalDetails),
  }),
  getSamples: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/samples',
    summary: 'Read what was measured of a terminal: link, ping, memory, processor, disk',
    query: Type.Object({
      from: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601; a day, or 30, before `to`' })),
      to: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601; now' })),
      step: Type.Optional(
        Type.Unsafe<SampleStep>({
          type: 'integer',
          enum: [...sampleSteps],
          description: 'Minutes of one row: 1 for the last 24 hours, 15 for the last 30 days',
        }),
      ),
    }),
    rules: toTimeRangeErrors,
    response: Envelope(Samples),
  }),
  listCharts: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/charts',
    summary: 'List the charts of a terminal and the experts on them, as its host saw them last',
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(TerminalChart),
      seen_at: NullableTimestamp('When its host looked; null until it did'),
      truncated: Type.Boolean({ description: 'true if the terminal has more than is shown' }),
    }),
  }),
  updateTerminal: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'terminal.update',
    url: '/v1/my/trading/terminals/:terminal_id',
    summary: 'Rename a terminal, move it to another project, label it, or say how often screenshots of it are taken',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      name: Type.Optional(Line({ maxLength: 255 })),
      project_id: Type.Optional(Type.String({ description: "One of the caller's projects" })),
      screenshot_every_minutes: Type.Optional(
        Nullable<number>('integer', {
          minimum: 0,
          maximum: MAX_SCREENSHOT_MINUTES,
          description: 'Minutes between automatic screenshots; 0 or null means never',
        }),
      ),
      ...labelChanges,
    }),
    response: Envelope(TerminalDetails),
  }),
  getScreenshot: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/screenshot',
    summary: 'Download the last screenshot of a terminal as a small PNG, with an ETag',
    query: Type.Object({
      of: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'ID of the screenshot: while it is the last one, browsers keep the answer',
        }),
      ),
    }),
    download: { mediaTypes: ['image/png'] },
    response: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
  }),
  takeScreenshot: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/trading/terminals/:terminal_id/screenshot',
    summary: 'Take a fresh screenshot: all who ask within 10 seconds share one task',
    limit: 'taskCreation',
    errors: ['storage_full'],
    isIdempotent: true,
    isStrict: true,
    response: EnvelopeOrRefusal(CreatedTask),
  }),
  unlockTerminal: defineRoute({
    ...user('risk'),
    method: 'POST',
    audit: 'terminal.unlock',
    url: '/v1/my/trading/terminals/:terminal_id/unlock',
    summary: 'Unlock a terminal that a risk rule has locked',
    errors: ['agent_too_old'],
    isStrict: true,
    body: Type.Object({
      reason: Line({ maxLength: 500, description: 'Why; it is kept with the event `security.unlocked`' }),
      reset_marks: Type.Optional(
        Type.Boolean({
          description:
            'Whether the rules that locked it count from the next numbers on. Otherwise they act again as soon as something is open',
        }),
      ),
    }),
    response: Envelope(TerminalDetails),
  }),
  deleteTerminal: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'terminal.delete',
    url: '/v1/my/trading/terminals/:terminal_id',
    summary: 'Destroy a terminal',
    response: Envelope(Type.String()),
  }),
};
