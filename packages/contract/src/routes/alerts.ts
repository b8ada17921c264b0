import {
  Alert,
  AlertChannel,
  AlertChannelSettings,
  AlertChannelTest,
  AlertRule,
  QuietHours,
} from '../alerts/resources.ts';
import { toScreenshotErrors, toSettingErrors } from '../alerts/settings.ts';
import {
  alertChannelKinds,
  alertConditions,
  MAX_ALERT_CHANNELS,
  MAX_ALERT_RULES,
  MAX_RULE_CHANNELS,
  MAX_ALERT_RULE_TERMINALS,
  momentaryConditions,
  screenshotChannelKinds,
} from '../alerts/values.ts';
import type { FieldError } from '../errors.ts';
import {
  CursorPagination,
  Envelope,
  EnvelopeOrRefusal,
  FIRST_CURSOR,
  notEmpty,
  Null,
  Nullable,
  OneOf,
  orNull,
  perPageQuery,
  Type,
  Uuid,
  type TSchema,
} from '../schema.ts';
import { findTimeZoneErrors } from '../time-zone.ts';
import { defineRoute } from './route.ts';

const list = <Item extends TSchema>(item: Item) =>
  Type.Object({
    ok: Type.Literal(true),
    msg: Type.String(),
    data: Type.Array(item),
    pagination: CursorPagination,
  });
const after = Type.Optional(
  Type.String({
    maxLength: 40,
    description: `Goes on after the item with this id (\`next_cursor\`); \`${FIRST_CURSOR}\`: from the beginning`,
  }),
);
const listQuery = Type.Object({ after, ...perPageQuery() });

const user = <const Ability extends 'read' | 'write' | 'delete'>(ability: Ability) =>
  ({ tag: 'Alerts', auth: 'user', ability }) as const;

const name = { minLength: 1, maxLength: 100, singleLine: true };

type Body = { body: Record<string, unknown> };

/** What is wrong with a rule besides its types. A momentary condition cannot last. Pure. */
export const toAlertRuleErrors = ({ body }: Body): FieldError[] => {
  const {
    quiet_hours: quiet,
    when,
    for_minutes: minutes,
  } = body as {
    quiet_hours?: QuietHours | null;
    when?: (typeof alertConditions)[number];
    for_minutes?: number;
  };
  const errors: FieldError[] = [];
  if (when && momentaryConditions.includes(when) && (minutes ?? 0) > 0) {
    errors.push({ field: 'for_minutes', text: `The for minutes field must be 0, because ${when} does not last.` });
  }
  if (quiet) errors.push(...findTimeZoneErrors('quiet_hours.time_zone', quiet.time_zone));
  if (quiet && quiet.from === quiet.to) {
    errors.push({ field: 'quiet_hours.to', text: 'The quiet_hours.to field must be different from quiet_hours.from.' });
  }
  return errors;
};

/** Where the kind is none, or the settings are no object, their schemas say so. */
const toChannelErrors = ({ body: { kind, settings = {}, with_screenshot: withScreenshot } }: Body): FieldError[] => {
  const known = alertChannelKinds.find((one) => one === kind);
  if (!known) return [];
  const ofSettings = typeof settings === 'object' && settings !== null ? toSettingErrors(known, settings) : [];
  return [...ofSettings, ...toScreenshotErrors(known, withScreenshot === true)];
};

const screenshotField = {
  with_screenshot: Type.Optional(
    Type.Boolean({
      description: `Whether messages carry screenshots (${screenshotChannelKinds.join(', ')}), which needs the ability \`read\`, too; false if left out at the creation`,
    }),
  ),
};

const minutes = { minimum: 0, maximum: 1_440 };
const ruleFields = {
  for_minutes: Type.Optional(
    Type.Integer({ ...minutes, description: 'How long it has to last before it is told; 5 for terminal_down, else 0' }),
  ),
  remind_every_minutes: Type.Optional(
    Nullable<number>('integer', { minimum: 5, maximum: 10_080, description: 'While it lasts; null: not again' }),
  ),
  project_id: Type.Optional(
    Nullable('string', { ...notEmpty, format: 'uuid', description: 'Only terminals in it; null: in all' }),
  ),
  terminal_ids: Type.Optional(
    Type.Unsafe<string[] | null>({
      ...notEmpty,
      type: ['array', 'null'],
      items: Uuid('Terminal'),
      minItems: 1,
      maxItems: MAX_ALERT_RULE_TERMINALS,
      description: 'Only these terminals; null: all',
    }),
  ),
  channel_ids: Type.Optional(
    Type.Array(Uuid('Channel'), {
      maxItems: MAX_RULE_CHANNELS,
      description: 'Where it is told, besides the notification in Berth',
    }),
  ),
  quiet_hours: Type.Optional(
    orNull(QuietHours, {
      description: 'Messages wait until they are over, and are then sent if the alert is still open; null: none',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'true if left out' })),
};

const channelRoutes = {
  listAlertChannels: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alert-channels',
    summary: 'List the channels of alerts, oldest first',
    query: listQuery,
    response: list(AlertChannel),
  }),
  createAlertChannel: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'alert_channel.create',
    url: '/v1/my/alert-channels',
    summary: `Create a channel of alerts; an account has at most ${MAX_ALERT_CHANNELS}`,
    limit: 'alertChannel',
    isStrict: true,
    isIdempotent: true,
    body: Type.Object({
      kind: OneOf(alertChannelKinds),
      name: Type.String(name),
      settings: AlertChannelSettings,
      ...screenshotField,
    }),
    rules: toChannelErrors,
    response: EnvelopeOrRefusal(AlertChannel),
  }),
  readAlertChannel: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alert-channels/:alert_channel_id',
    summary: 'Read a channel of alerts',
    response: Envelope(AlertChannel),
  }),
  updateAlertChannel: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'alert_channel.update',
    url: '/v1/my/alert-channels/:alert_channel_id',
    summary: 'Change a channel of alerts; settings that are left out, and secrets sent as `********`, stay as they are',
    limit: 'alertChannel',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      name: Type.Optional(Type.String(name)),
      settings: Type.Optional(AlertChannelSettings),
      ...screenshotField,
    }),
    response: Envelope(AlertChannel),
  }),
  deleteAlertChannel: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'alert_channel.delete',
    url: '/v1/my/alert-channels/:alert_channel_id',
    summary: 'Delete a channel of alerts; rules that name it go on without it',
    response: Envelope(Null),
  }),
  testAlertChannel: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/alert-channels/:alert_channel_id/test',
    summary: 'Send a test message now, and say what was answered',
    limit: 'alertChannel',
    errors: ['mail_rate_limit'],
    isStrict: true,
    response: EnvelopeOrRefusal(AlertChannelTest),
  }),
};

const ruleRoutes = {
  listAlertRules: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alert-rules',
    summary: 'List the rules of alerts, oldest first',
    query: listQuery,
    response: list(AlertRule),
  }),
  createAlertRule: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'alert_rule.create',
    url: '/v1/my/alert-rules',
    summary: `Create a rule of alerts; an account has at most ${MAX_ALERT_RULES}`,
    limit: 'subscription',
    isStrict: true,
    isIdempotent: true,
    body: Type.Object({ name: Type.String(name), when: OneOf(alertConditions), ...ruleFields }),
    rules: toAlertRuleErrors,
    response: EnvelopeOrRefusal(AlertRule),
  }),
  readAlertRule: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alert-rules/:alert_rule_id',
    summary: 'Read a rule of alerts',
    response: Envelope(AlertRule),
  }),
  updateAlertRule: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'alert_rule.update',
    url: '/v1/my/alert-rules/:alert_rule_id',
    summary:
      'Change a rule of alerts; where its condition or terminals change, or it is disabled, its open alerts end without a message',
    limit: 'subscription',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      name: Type.Optional(Type.String(name)),
      when: Type.Optional(OneOf(alertConditions)),
      ...ruleFields,
    }),
    rules: toAlertRuleErrors,
    response: Envelope(AlertRule),
  }),
  deleteAlertRule: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'alert_rule.delete',
    url: '/v1/my/alert-rules/:alert_rule_id',
    summary: 'Delete a rule of alerts; its open alerts end without a message',
    limit: 'subscription',
    response: Envelope(Null),
  }),
};

export const alertRoutes = {
  ...channelRoutes,
  ...ruleRoutes,
  listAlerts: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alerts',
    summary: 'List alerts, newest first',
    query: Type.Object({
      after,
      status: Type.Optional(OneOf(['open', 'resolved'], { description: 'Only these' })),
      rule_id: Type.Optional(Type.String({ description: 'Only those of this rule' })),
      resolved_since: Type.Optional(
        Type.String({ isoDateTime: true, description: 'ISO 8601: only those that were over then or later' }),
      ),
      ...perPageQuery(),
    }),
    response: list(Alert),
  }),
  readAlert: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/alerts/:alert_id',
    summary: 'Read an alert',
    response: Envelope(Alert),
  }),
  acknowledgeAlert: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/alerts/:alert_id/acknowledge',
    summary: 'Say that somebody takes care of an alert: it reminds nobody any more. Again, it changes nothing',
    isStrict: true,
    response: Envelope(Alert),
  }),
};
