/** Alerts: the channels by which Berth writes to people, the rules that say when, and what came of them. */
import { Nullable, NullableTimestamp, OneOf, orNull, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { alertChannelKinds, alertConditions, alertMessageKinds, MAX_SENT_SCREENSHOT_MINUTES } from './values.ts';

const setting = (description: string, options: object = {}) => Type.Optional(Type.String({ ...options, description }));
const optionalSetting = (description: string, options: object = {}) =>
  Type.Optional(Nullable('string', { ...options, description }));

/** How a channel reaches somebody. Each kind takes its own fields, and no others. */
export const AlertChannelSettings = Type.Object({
  to: setting('email: the address', { format: 'email', maxLength: 255 }),
  bot_token: setting('telegram: the token that @BotFather gave; secret', {
    maxLength: 100,
    pattern: '^([0-9]+:[A-Za-z0-9_-]+|[*]{8})$',
  }),
  chat_id: setting('telegram: the number of the chat, or `@name` of a public channel', {
    maxLength: 64,
    singleLine: true,
  }),
  api_url: optionalSetting('telegram: a Bot API server of your own; null: https://api.telegram.org', {
    maxLength: 500,
  }),
  webhook_url: setting('discord, slack: the address of the incoming webhook; secret', { maxLength: 500 }),
  server_url: setting('ntfy: the server; https://ntfy.sh if left out', { maxLength: 500 }),
  topic: setting('ntfy: the topic', { maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  token: optionalSetting('ntfy: an access token; secret; null: none', {
    maxLength: 100,
    pattern: '^[!-~]+$',
  }),
});
/** How a channel reaches somebody. */
export type AlertChannelSettings = Static<typeof AlertChannelSettings>;

/** Where messages go. */
export const AlertChannel = Type.Object({
  id: Uuid('Channel'),
  kind: OneOf(alertChannelKinds),
  name: Type.String(),
  settings: AlertChannelSettings,
  with_screenshot: Type.Boolean({
    description: `Messages about a single terminal carry its last screenshot, unless that is older than ${MAX_SENT_SCREENSHOT_MINUTES} minutes: whoever reads the channel sees account and money`,
  }),
  is_confirmed: Type.Boolean({
    description:
      'false: an e-mail address other than that of the account, whose owner has not agreed yet by the link in the mail',
  }),
  last_sent_at: NullableTimestamp('When a message was last taken'),
  last_error: Nullable('string', { description: 'why the last message was not taken; null: it was' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
/** Where messages go. */
export type AlertChannel = Static<typeof AlertChannel>;

/** What the other side answered to a test message. */
export const AlertChannelTest = Type.Object({
  is_sent: Type.Boolean({ description: 'Whether the message was taken' }),
  response_status: Nullable<number>('integer', {
    description: 'HTTP status; null: there was no answer, or it is a mail',
  }),
  answer: Nullable('string', { description: 'the beginning of what was answered' }),
  error: Nullable('string', { description: 'why it was not taken, and what to do; null: it was taken' }),
});
/** What the other side answered to a test message. */
export type AlertChannelTest = Static<typeof AlertChannelTest>;

const time = (description: string) => Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description });

/** When no message is sent. */
export const QuietHours = Type.Object({
  from: time('HH:MM; the first minute that is quiet'),
  to: time('HH:MM; the first that is not. Earlier than `from`: on the next day'),
  time_zone: Type.String({ maxLength: 64, description: 'Such as Europe/Berlin; summer time is followed' }),
});
/** When no message is sent. */
export type QuietHours = Static<typeof QuietHours>;

/** When to tell whom. */
export const AlertRule = Type.Object({
  id: Uuid('Rule'),
  name: Type.String(),
  when: OneOf(alertConditions),
  for_minutes: Type.Integer({ description: 'How long it has to last before it is told' }),
  remind_every_minutes: Nullable<number>('integer', { description: 'null: there are no reminders' }),
  project_id: Nullable('string', { format: 'uuid', description: 'Only terminals in it; null: in all' }),
  terminal_ids: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Uuid('Terminal'),
    description: 'Only these terminals; null: all',
  }),
  channel_ids: Type.Array(Uuid('Channel'), { description: 'None: only the notification in Berth' }),
  quiet_hours: orNull(QuietHours, { description: 'null: there are none' }),
  enabled: Type.Boolean(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
/** When to tell whom. */
export type AlertRule = Static<typeof AlertRule>;

/** A message about an alert. */
export const AlertMessage = Type.Object({
  id: Uuid('Message'),
  channel_id: Uuid('Channel'),
  kind: OneOf(alertMessageKinds),
  at: Timestamp('When it was sent last, or is going to be sent'),
  ok: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether it was taken; null: it is still to be sent, or sent again',
  }),
  error: Nullable('string', { description: 'why it was not taken, or waits' }),
});
/** A message about an alert. */
export type AlertMessage = Static<typeof AlertMessage>;

/** Something that a rule reported, from its beginning to its end. */
export const Alert = Type.Object({
  id: Uuid('Alert'),
  rule_id: Nullable('string', { format: 'uuid', description: 'null: the rule was deleted' }),
  rule_name: Type.String(),
  when: OneOf(alertConditions),
  subject: Type.Object({
    terminals: Type.Integer({ description: 'Terminals that it is about' }),
    with_positions: Nullable<number>('integer', {
      description: 'those of them that had open positions; null: that is not known',
    }),
    host: Nullable('string', { description: 'name of their host; null: they are on several, or it is not known' }),
    terminal_ids: Type.Array(Uuid('Terminal'), { description: 'The first 100' }),
    names: Type.Array(Type.String(), { description: 'Names of the first five' }),
    reason: Nullable('string', { description: 'what is known of the first one' }),
  }),
  opened_at: Timestamp(),
  acknowledged_at: NullableTimestamp('From then on there are no reminders'),
  resolved_at: NullableTimestamp('When it was over'),
  messages: Type.Array(AlertMessage, { description: 'The last 100, oldest first' }),
});
/** Something that a rule reported, from its beginning to its end. */
export type Alert = Static<typeof Alert>;
