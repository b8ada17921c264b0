import type { Ability } from '../abilities.ts';
import type { FieldError } from '../errors.ts';
import { parseIsoDateTime } from '../dates.ts';
import {
  CreatedTask,
  Region,
  Samples,
  Terminal,
  TerminalDetails,
  TerminalItem,
  TerminalListItem,
} from '../resources.ts';
import { Envelope, EnvelopeOrRefusal, Line, OneOf, pageQuery, PaginationWithTo, Type } from '../schema.ts';
import { sampleSteps, type SampleStep } from '../terminals/samples.ts';
import { defineRoute } from './route.ts';

const user = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Terminals', auth: 'user', ability }) as const;

const toDateRangeErrors = ({ query }: { query: Record<string, unknown> }): FieldError[] =>
  typeof query.date_from === 'string' && typeof query.date_to === 'string' && query.date_to < query.date_from
    ? [{ field: 'date_to', text: 'The date to field must be a date after or equal to date from.' }]
    : [];

/** Unix milliseconds; undefined for what is no time, which its schema refuses. */
const toTime = (text: unknown): number | undefined =>
  typeof text === 'string' ? parseIsoDateTime(text)?.getTime() : undefined;

const toTimeRangeErrors = ({ query }: { query: Record<string, unknown> }): FieldError[] => {
  const [from, to] = [toTime(query.from), toTime(query.to)];
  return from !== undefined && to !== undefined && to < from
    ? [{ field: 'to', text: 'The to field must be a date after or equal to from.' }]
    : [];
};

/** Which terminals are meant, in a list's query as in the body of what is done to many. */
export const terminalFilters = {
  date_from: Type.Optional(Type.String({ isoDate: true, description: 'Created on or after, YYYY-MM-DD, UTC' })),
  date_to: Type.Optional(Type.String({ isoDate: true, description: 'Created on or before, YYYY-MM-DD, UTC' })),
  search: Type.Optional(Type.String({ maxLength: 255, description: 'In name, login and server name' })),
  status: Type.Optional(Type.String({ terminalStatusList: true, description: 'Statuses, comma-separated' })),
  project_id: Type.Optional(Type.String({ maxLength: 255 })),
  region: Type.Optional(Type.Integer()),
};

export const terminalRoutes = {
  listRegions: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/regions',
    summary: 'List the regions',
    response: Envelope(Type.Array(Region)),
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
        OneOf(['created_at', 'name', 'server_name', 'login', 'status'], { default: 'created_at' }),
      ),
      sort_direction: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })),
    }),
    rules: toDateRangeErrors,
    response: Type.Object({ data: Type.Array(TerminalListItem), pagination: PaginationWithTo }),
  }),
  createTerminal: defineRoute({
    ...user('write'),
    method: 'POST',
    url: '/v1/my/trading/terminals',
    summary: 'Create a terminal; it is deployed after the response',
    isIdempotent: true,
    body: Type.Object({
      server_name: Line({ maxLength: 128, description: 'Trading server' }),
      login: Line({ maxLength: 64, description: 'Trading account; digits only on MetaTrader' }),
      password: Line({ maxLength: 128, description: 'Never shown again' }),
      name: Type.Optional(Line({ maxLength: 255, description: 'Defaults to the login' })),
      region: Type.Optional(Type.Integer()),
      project_id: Type.Optional(Type.String()),
      platform: Type.Optional(Type.String({ description: 'One that a host of the region offers' })),
    }),
    response: EnvelopeOrRefusal(TerminalItem),
  }),
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
  updateTerminal: defineRoute({
    ...user('write'),
    method: 'PATCH',
    url: '/v1/my/trading/terminals/:terminal_id',
    summary: 'Rename a terminal or move it to another project',
    input: 'patch',
    body: Type.Object({
      name: Type.Optional(Line({ maxLength: 255 })),
      project_id: Type.Optional(Type.String({ description: "One of the caller's projects" })),
    }),
    response: Envelope(Terminal),
  }),
  getPicture: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/picture',
    summary: 'Download the last picture of a terminal as a small PNG, with an ETag',
    response: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
  }),
  takePicture: defineRoute({
    ...user('write'),
    method: 'POST',
    url: '/v1/my/trading/terminals/:terminal_id/picture',
    summary: 'Take a fresh picture: all who ask within 10 seconds share one task',
    isIdempotent: true,
    response: EnvelopeOrRefusal(CreatedTask),
  }),
  deleteTerminal: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    url: '/v1/my/trading/terminals/:terminal_id',
    summary: 'Destroy a terminal',
    response: Envelope(Type.String()),
  }),
};
