import { OneOfNumbers, Type, Uuid, type Static, type TObject } from '../schema.ts';
import { taskStatuses } from '../tasks/machine.ts';
import { taskTypes } from '../tasks/types.ts';
import { terminalStatuses } from '../terminals/machine.ts';
import { defineRoute } from './route.ts';

/** What each live event means. */
export const liveEventMeanings = {
  ready: 'comes first: read your lists now; from here on every change is told',
  task: 'a task was created, or its status changed',
  terminal: 'a terminal was created, or its status, reason, account, name, project or last screenshot changed',
  charts: 'the host sees other charts or experts on a terminal',
  notification: 'there is a new notification',
  bulk_run: 'a run began, was canceled, is over, or was dismissed',
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
  notification: Type.Object({ id: Uuid('Notification') }),
  bulk_run: Type.Object({ id: Uuid('Bulk run') }),
  reset: Type.Object({}),
} as const satisfies Record<LiveEventName, TObject>;

/**
 * A live event, told apart by its name.
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

export const eventRoutes = {
  watchEvents: defineRoute({
    method: 'GET',
    url: '/v1/my/events',
    summary: 'Watch what changes (server-sent events)',
    tag: 'Events',
    auth: 'user',
    ability: 'read',
    response: Type.Unsafe<string>({ type: 'string', format: 'event-stream' }),
  }),
};
