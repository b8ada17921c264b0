/** Events about a user's objects: each type, and its data. Ids, statuses and names, never a secret. */
import {
  AnyObject,
  Nullable,
  OneOf,
  OneOfNumbers,
  Timestamp,
  toVariants,
  Type,
  Uuid,
  type Static,
  type TObject,
} from './schema.ts';
import { taskStatuses } from './tasks/machine.ts';
import { taskTypes } from './tasks/types.ts';
import { terminalStatuses } from './terminals/machine.ts';

/** What each type of event means. */
export const eventMeanings = {
  'terminal.status_changed': 'a terminal was created, or its status changed',
  'terminal.down':
    'a terminal cannot trade any more: it is disconnected, out of reach, logged out by its broker, or failed',
  'terminal.up': 'a terminal that was down is active again',
  'terminal.login_failed': 'the trading server refused the login of a terminal',
  'trading.switched': 'algo trading was switched on or off in a terminal',
  'task.finished': 'a task ended, whatever its result',
  'host.lost': 'a host with terminals of the user went silent',
  'security.token_created': 'an API token was created',
  'security.password_changed': 'the password of the account was changed',
  'security.webhook_created': 'a webhook was created',
  'security.webhook_changed': 'the address, the events or the status of a webhook was changed, or its secret',
  'security.webhook_deleted': 'a webhook was deleted',
  'security.webhook_disabled': 'a webhook was disabled, because its endpoint asked for that, or failed for days',
} as const;
export type EventType = keyof typeof eventMeanings;
export const eventTypes = Object.keys(eventMeanings) as EventType[];

/** The types that a name stands for: its own, or with `terminal.*` all that begin so. Empty where there are none. */
export const listEventTypes = (name: string): EventType[] =>
  eventTypes.filter((type) => (name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : type === name));

/** The data of each type of event. */
export const eventData = {
  'terminal.status_changed': Type.Object({
    name: Type.String(),
    from: Nullable<(typeof terminalStatuses)[number]>('integer', { description: 'null: it was created' }),
    to: OneOfNumbers(terminalStatuses),
    reason: Nullable('string', { description: 'why, where that is known' }),
    skipped: Type.Optional(
      Type.Integer({
        description:
          'changes of this terminal before this one that were not written: there are 60 at once, then one a minute',
      }),
    ),
  }),
  'terminal.down': Type.Object({
    name: Type.String(),
    status: OneOfNumbers(terminalStatuses),
    reason: Nullable('string', { description: 'why, where that is known' }),
  }),
  'terminal.up': Type.Object({ name: Type.String() }),
  'terminal.login_failed': Type.Object({
    name: Type.String(),
    reason: Nullable('string', { description: 'what the host says of it' }),
  }),
  'trading.switched': Type.Object({
    name: Type.String(),
    trading_allowed: Type.Boolean({ description: 'Whether experts can trade now' }),
    trading_reason: Nullable('string', { description: 'why not, where they cannot' }),
  }),
  'task.finished': Type.Object({
    task_id: Uuid('Task'),
    type: OneOfNumbers(taskTypes),
    status: OneOfNumbers(taskStatuses),
  }),
  'host.lost': Type.Object({ host_id: Uuid('Host'), name: Type.String() }),
  'security.token_created': Type.Object({ token_id: Type.Integer({ description: 'Its number' }), name: Type.String() }),
  'security.password_changed': Type.Object({ name: Type.String({ description: 'of the user' }) }),
  'security.webhook_created': Type.Object({ webhook_id: Uuid('Webhook'), url: Type.String() }),
  'security.webhook_changed': Type.Object({ webhook_id: Uuid('Webhook'), url: Type.String() }),
  'security.webhook_deleted': Type.Object({ webhook_id: Uuid('Webhook'), url: Type.String() }),
  'security.webhook_disabled': Type.Object({
    webhook_id: Uuid('Webhook'),
    url: Type.String(),
    reason: Type.String({ description: 'why' }),
  }),
} as const satisfies Record<EventType, TObject>;
export type EventData<Kind extends EventType> = Static<(typeof eventData)[Kind]>;

const toEvent = <const Name extends object, const Data extends object>(type: Name, data: Data) => ({
  id: Type.Integer({ description: 'Rises from event to event; where to go on from (`after`, `Last-Event-ID`)' }),
  type,
  occurred_at: Timestamp('When the change began'),
  terminal_id: Nullable('string', { format: 'uuid', description: 'null: it is about no terminal' }),
  project_id: Nullable('string', { format: 'uuid', description: 'that the terminal was in then' }),
  data,
});

/**
 * An event, discriminated by its type.
 * @example
 * import { TaskStatus, type UserEvent } from '@berth/contract';
 * const hasFailed = (event: UserEvent): boolean =>
 *   event.type === 'task.finished' && event.data.status === TaskStatus.FAILED;
 */
export type UserEvent = {
  [Kind in EventType]: {
    /** Rises from event to event. */
    id: number;
    type: Kind;
    /** When the change began. */
    occurred_at: string;
    /** null: it is not about a terminal. */
    terminal_id: string | null;
    /** The terminal's project at that time. */
    project_id: string | null;
    /** The data of an event of this type. */
    data: EventData<Kind>;
  };
}[EventType];
const variants = eventTypes.map((type) => Type.Object(toEvent(Type.Literal(type), eventData[type])));
const written = Type.Object(toEvent(OneOf(eventTypes), AnyObject('What is said with an event of the type')));
export const UserEvent = { ...Type.Unsafe<UserEvent>(toVariants(written, variants)), properties: written.properties };
