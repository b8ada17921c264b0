import { UserEvent } from '../events.ts';
import {
  CursorPagination,
  FIRST_CURSOR,
  OneOf,
  OneOfNumbers,
  perPageQuery,
  Type,
  Uuid,
  type Static,
  type TSchema,
} from '../schema.ts';
import { taskStatuses } from '../tasks/machine.ts';
import { taskTypes } from '../tasks/types.ts';
import { terminalStatuses } from '../terminals/machine.ts';
import { AccountFigures } from '../trading/account.ts';
import { defineRoute } from './route.ts';
import { toTimeRangeErrors } from './terminals.ts';

/** What each live event means. */
export const liveEventMeanings = {
  ready: 'comes first: read your lists now; from here on every change is told',
  task: 'a task was created, or its status changed',
  terminal: 'a terminal was created, or its status, reason, account, name, project or last screenshot changed',
  charts: 'the host sees other charts or experts on a terminal',
  'account.updated': 'the account of a terminal has other numbers; at most once per second and terminal',
  notification: 'there is a new notification',
  bulk_run: 'a run began, was canceled, is over, or was dismissed',
  happened: 'an entry of the log of events; its `id` is that of the frame, from which `Last-Event-ID` goes on',
  reset: 'something may have been missed: read your lists again',
} as const;
export type LiveEventName = keyof typeof liveEventMeanings;

/** The data of each live event. */
export const liveEvents = {
  ready: Type.Object({}),
  task: Type.Object({
    id: Uuid('Task'),
    terminal_id: Uuid('Terminal'),
    type: OneOfNumbers(taskTypes),
    status: OneOfNumbers(taskStatuses),
  }),
  terminal: Type.Object({ id: Uuid('Terminal'), status: OneOfNumbers(terminalStatuses) }),
  charts: Type.Object({ id: Uuid('Terminal') }),
  'account.updated': Type.Object({ id: Uuid('Terminal'), ...AccountFigures.properties }),
  notification: Type.Object({ id: Uuid('Notification') }),
  bulk_run: Type.Object({ id: Uuid('Bulk run') }),
  happened: UserEvent,
  reset: Type.Object({}),
} as const satisfies Record<LiveEventName, TSchema>;

/**
 * A live event, discriminated by its name.
 * @example
 * import { TaskStatus, type LiveEvent } from '@berth/contract';
 * const hasFailed = (event: LiveEvent): boolean => event.event === 'task' && event.data.status === TaskStatus.FAILED;
 * hasFailed({ event: 'reset', data: {} }); // => false
 */
export type LiveEvent = {
  [Name in LiveEventName]: { event: Name; data: Static<(typeof liveEvents)[Name]> };
}[LiveEventName];
export const LiveEvent = Type.Unsafe<LiveEvent>(
  Type.Union(Object.entries(liveEvents).map(([event, data]) => Type.Object({ event: Type.Literal(event), data }))),
);

/** In which order the log is read. */
export const eventOrders = ['oldest', 'newest'] as const;

/** How long an event is kept. */
export const KEEP_EVENTS_DAYS = 30;

export const eventRoutes = {
  listEvents: defineRoute({
    method: 'GET',
    url: '/v1/my/events/log',
    summary: `List what happened, oldest or newest first; kept for ${KEEP_EVENTS_DAYS} days`,
    tag: 'Events',
    auth: 'user',
    ability: 'read',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          maxLength: 20,
          description: `Goes on after the event with this id. \`next_cursor\` is such an id; \`${FIRST_CURSOR}\` begins with the oldest that is kept, or with the newest`,
        }),
      ),
      types: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: 'Only events of these types, comma-separated; `terminal.*` is all that begin so',
        }),
      ),
      terminal_id: Type.Optional(Type.String({ description: 'Only events about this terminal' })),
      project_id: Type.Optional(
        Type.String({ description: 'Only events about terminals that were in this project then' }),
      ),
      order: Type.Optional(
        OneOf(eventOrders, {
          description: '`oldest` first, by default, or `newest` first; a cursor goes on in the order that it came from',
        }),
      ),
      from: Type.Optional(
        Type.String({ isoDateTime: true, description: 'ISO 8601: only events that happened then or later' }),
      ),
      to: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601: only events that happened before' })),
      ...perPageQuery(),
    }),
    rules: toTimeRangeErrors,
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(UserEvent),
      pagination: CursorPagination,
    }),
  }),
  watchEvents: defineRoute({
    method: 'GET',
    url: '/v1/my/events',
    summary: 'Watch what changes (server-sent events); with `Last-Event-ID`, what happened since comes first',
    tag: 'Events',
    auth: 'user',
    ability: 'read',
    errors: ['event_stream_limit'],
    response: Type.Unsafe<string>({ type: 'string', format: 'event-stream' }),
  }),
};
