/** Events about a user's objects: each type, and its data. Ids, statuses and names, never a secret. */
import { blindReasons, riskActions, riskKinds, riskWarnings, type BlindReason } from './risk/values.ts';
import {
  AnyObject,
  Nullable,
  NullableTimestamp,
  OneOf,
  OneOfNumbers,
  Timestamp,
  toVariants,
  Type,
  Uuid,
  type Static,
  type TObject,
} from './schema.ts';
import { alertConditions } from './alerts/values.ts';
import { taskStatuses } from './tasks/machine.ts';
import { periods, type Period } from './tasks/input-values.ts';
import { taskTypes } from './tasks/types.ts';
import { terminalStatuses } from './terminals/machine.ts';
import { ProcessExit } from './terminals/process-exit.ts';
import { Deal } from './trading/account.ts';

/** What each type of event means. */
export const eventMeanings = {
  'terminal.status_changed': 'a terminal was created, or its status changed',
  'terminal.down':
    'a terminal cannot trade any more: it is disconnected, out of reach, logged out by its broker, or failed',
  'terminal.up': 'a terminal that was down is active again',
  'terminal.login_failed': 'the trading server refused the login of a terminal',
  'terminal.other_account': 'a terminal is logged in to another account than before',
  'terminal.updated': 'a terminal runs another build than before',
  'trading.switched': 'algo trading was switched on or off in a terminal',
  'account.deal': 'a deal was made on the account of a terminal, or money was moved',
  'expert.failed': 'a terminal refused to load an expert, or an error of its code ended one',
  'task.finished': 'a task ended, whatever its result',
  'risk.warning':
    'a risk rule is near its limit at a terminal, cannot see the numbers of the account (the guard is blind), or sees them again',
  'risk.breached': 'the limit of a risk rule was reached at a terminal; its host acts by itself',
  'host.lost': 'a host with terminals of the user went silent; operators learn of every host',
  'host.back': 'a host that was silent reports again',
  'backup.failed': 'a scheduled backup failed, or there has been none for too long; only operators learn of it',
  'alert.opened': 'an alert began',
  'alert.resolved': 'an alert is over',
  'security.sign_in': 'somebody signed in from an address or a browser that is new for the account',
  'security.token_created': 'an API token was created',
  'security.password_changed': 'the password of the account was changed',
  'security.unlocked': 'a terminal that a risk rule had locked was unlocked',
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

const alertData = Type.Object({
  alert_id: Uuid('Alert'),
  rule_id: Nullable('string', { format: 'uuid', description: 'null: the rule was deleted' }),
  name: Type.String({ description: 'of the rule' }),
  when: OneOf(alertConditions),
  terminals: Type.Integer({ description: 'Terminals that it is about' }),
});

/** Why a terminal is down. */
export const downCauses = ['process', 'connection', 'login', 'host', 'installation'] as const;
export type DownCause = (typeof downCauses)[number];

/** The data of each type of event. */
export const eventData = {
  'terminal.status_changed': Type.Object({
    name: Type.String(),
    from: Nullable<(typeof terminalStatuses)[number]>('integer', { description: 'null: it was created' }),
    to: OneOfNumbers(terminalStatuses),
    reason: Nullable('string', { description: 'why, where that is known' }),
    exit: Type.Optional({ ...ProcessExit, description: 'how its program ended, if that is why' }),
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
    cause: OneOf(downCauses, {
      description:
        '`process`: its program ended; `connection`: it lost its broker; `login`: its broker refused it; `host`: its host is offline; `installation`: that failed',
    }),
    exit: Nullable<ProcessExit>('object', {
      properties: ProcessExit.properties,
      description: 'how its program ended; null with any other cause',
    }),
  }),
  'terminal.up': Type.Object({ name: Type.String() }),
  'terminal.login_failed': Type.Object({
    name: Type.String(),
    reason: Nullable('string', { description: 'what the host says of it' }),
  }),
  'terminal.other_account': Type.Object({
    name: Type.String(),
    login: Type.String({ description: 'of the account that it is logged in to now' }),
    server_name: Type.String(),
  }),
  'terminal.updated': Type.Object({
    name: Type.String(),
    from: Nullable<number>('integer', { description: 'The build before; null: it was not known' }),
    to: Type.Integer({ description: 'The build now' }),
  }),
  'trading.switched': Type.Object({
    name: Type.String(),
    trading_allowed: Type.Boolean({ description: 'Whether experts can trade now' }),
    trading_reason: Nullable('string', { description: 'why not, where they cannot' }),
  }),
  'account.deal': Type.Object({
    name: Type.String({ description: 'Of the terminal' }),
    login: Type.String(),
    currency: Nullable('string', { description: 'of its amounts; null: not known yet' }),
    ...Deal.properties,
    skipped: Type.Optional(
      Type.Integer({
        description:
          'deals of this terminal before this one that were not written here: there are 500 at once, then one each 30 seconds. Its list of deals has them all',
      }),
    ),
  }),
  'expert.failed': Type.Object({
    chart_id: Type.String(),
    name: Type.String({ description: 'of the expert' }),
    symbol: Type.String(),
    period: Nullable<Period>('string', { enum: [...periods, null], description: 'null if tasks do not know it' }),
    line: Nullable('string', { description: 'of the log, which says why; null: its host did not send one' }),
  }),
  'task.finished': Type.Object({
    task_id: Uuid('Task'),
    type: OneOfNumbers(taskTypes),
    status: OneOfNumbers(taskStatuses),
  }),
  'risk.warning': Type.Object({
    name: Type.String({ description: 'of the terminal' }),
    rule_id: Uuid('Rule'),
    rule_name: Type.String(),
    warning: OneOf(riskWarnings, {
      description:
        '`near_limit`; `touched`: the limit was reached for less than `confirm_ms`; `blind`: the rule does not watch now; `sees_again`: it does again',
    }),
    blind: Nullable<BlindReason>('string', {
      enum: [...blindReasons, null],
      description: 'why it is blind; null: it is not',
    }),
    used: Nullable('string', { description: 'what is used of the limit; null: not known' }),
    limit: Nullable('string', { description: 'null: not known' }),
  }),
  'risk.breached': Type.Object({
    name: Type.String({ description: 'of the terminal' }),
    breach_id: Uuid('Breach'),
    rule_id: Uuid('Rule'),
    rule_name: Type.String(),
    kind: OneOf(riskKinds),
    value: Type.String({ description: 'what was reached' }),
    limit: Type.String({ description: 'the limit then' }),
    actions: Type.Array(OneOf(riskActions), { description: 'what is done' }),
  }),
  'host.lost': Type.Object({ host_id: Uuid('Host'), name: Type.String() }),
  'host.back': Type.Object({ host_id: Uuid('Host'), name: Type.String() }),
  'backup.failed': Type.Object({
    error: Type.String({ description: 'why' }),
    last_succeeded_at: NullableTimestamp('null: there has been none'),
  }),
  'alert.opened': alertData,
  'alert.resolved': alertData,
  'security.sign_in': Type.Object({
    address: Type.String({ description: 'From where, as the server saw it' }),
    device: Type.String({ description: 'Browser and system; `API`: a program that got a token' }),
  }),
  'security.token_created': Type.Object({ token_id: Type.Integer({ description: 'Its number' }), name: Type.String() }),
  'security.password_changed': Type.Object({ name: Type.String({ description: 'of the user' }) }),
  'security.unlocked': Type.Object({
    name: Type.String(),
    reason: Type.String({ description: 'as its user gave it, or that the lock ended by itself' }),
  }),
  'security.webhook_created': Type.Object({ webhook_id: Uuid('Webhook') }),
  'security.webhook_changed': Type.Object({ webhook_id: Uuid('Webhook') }),
  'security.webhook_deleted': Type.Object({ webhook_id: Uuid('Webhook') }),
  'security.webhook_disabled': Type.Object({
    webhook_id: Uuid('Webhook'),
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
