import { listEventTypes } from '../events.ts';
import type { FieldError } from '../errors.ts';
import { MAX_PENDING_DELIVERIES, WEBHOOK_ROTATION_HOURS } from '../limits.ts';
import {
  CursorPagination,
  Envelope,
  EnvelopeOrRefusal,
  FIRST_CURSOR,
  notEmpty,
  Null,
  Nullable,
  NullableTimestamp,
  OneOf,
  perPageQuery,
  Timestamp,
  Type,
  Uuid,
  type Static,
  type TSchema,
} from '../schema.ts';
import { defineRoute } from './route.ts';

/** The waits before the tries of a delivery, in seconds: at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const WEBHOOK_WAITS_S = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** Deliveries of a webhook that are kept, besides those that wait. */
export const MAX_WEBHOOK_DELIVERIES = 5_000;
/** What a delivery keeps of an answer. */
export const MAX_EXCERPT_CHARACTERS = 1_000;

export const webhookStatuses = ['active', 'disabled'] as const;
export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const;

/** Whether a name is a type of events, or stands for some: `terminal.*` for all that begin so, `*` for all. */
export const isEventPattern = (name: string): boolean => name === '*' || listEventTypes(name).length > 0;

/** Half hours of a day. */
export const HALF_HOURS = 48;

/** What became of the deliveries of a webhook that ended in the last day. */
export const WebhookDay = Type.Object({
  succeeded: Type.Integer({ description: 'Deliveries that the endpoint took' }),
  at_first_try: Type.Integer({ description: 'Those of them that took one try' }),
  failed: Type.Integer({ description: 'Deliveries that were given up' }),
  median_ms: Nullable<number>('integer', {
    description: 'In how many milliseconds half of them were answered, to within a quarter; null: there are none',
  }),
  p99_ms: Nullable<number>('integer', { description: 'The same of 99 in 100' }),
  half_hours: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'Unix seconds, the start of the half hour' }),
      succeeded: Type.Integer({ description: 'Deliveries that the endpoint took' }),
      failed: Type.Integer({ description: 'Deliveries that were given up' }),
    }),
    { description: `The last ${HALF_HOURS}, oldest first; the last one is under way` },
  ),
});
/** What became of the deliveries of a webhook that ended in the last day. */
export type WebhookDay = Static<typeof WebhookDay>;

/** An endpoint that is sent what happens. */
export const Webhook = Type.Object({
  id: Uuid('Webhook'),
  url: Type.String(),
  events: Type.Array(Type.String(), { description: 'Types of events; `terminal.*` is all that begin so, `*` all' }),
  project_id: Nullable('string', { format: 'uuid', description: 'Only events of its terminals; null: of all' }),
  description: Nullable('string'),
  is_ordered: Type.Boolean({ description: 'An event waits for the earlier ones of its terminal' }),
  status: OneOf(webhookStatuses),
  disabled_reason: Nullable('string', { description: 'why Berth disabled it; null: its owner did, or it is active' }),
  failing_since: NullableTimestamp('Since when no delivery succeeds'),
  secret_rotated_at: NullableTimestamp('When its secret was last made anew'),
  pending: Type.Integer({
    description: `Deliveries that wait, at most ${MAX_PENDING_DELIVERIES.toLocaleString('en')}; what happened since waits in the log`,
  }),
  oldest_pending_at: NullableTimestamp('When the oldest of them was made; null: none waits'),
  last_24_hours: WebhookDay,
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
/** An endpoint that is sent what happens. */
export type Webhook = Static<typeof Webhook>;

const NewWebhook = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: 'Signs what is sent (Standard Webhooks); shown only this once' }),
});

/** One try of a delivery. */
export const WebhookAttempt = Type.Object({
  at: Timestamp(),
  response_status: Nullable<number>('integer', { description: 'null: there was no answer' }),
  response_excerpt: Nullable('string', { description: `the first ${MAX_EXCERPT_CHARACTERS} characters of the answer` }),
  ms: Type.Integer({ description: 'How long it took' }),
  error: Nullable('string', { description: 'why it failed; null: it succeeded' }),
});
/** One try of a delivery. */
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** An event on its way to a webhook. */
export const WebhookDelivery = Type.Object({
  id: Uuid('Delivery; the header `webhook-id` of each of its tries'),
  event_id: Nullable<number>('integer', { description: 'null: a test' }),
  event_type: Type.String({ description: '`webhook.test`: a test' }),
  status: OneOf(deliveryStatuses),
  attempts: Type.Array(WebhookAttempt, { description: 'The last ten' }),
  next_attempt_at: NullableTimestamp('null: there is none'),
  created_at: Timestamp(),
});
/** An event on its way to a webhook. */
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const url = Type.String({ maxLength: 2048, description: 'http or https, port 443, 80 or from 1024 on' });
const events = Type.Array(Type.String({ maxLength: 60 }), {
  ...notEmpty,
  minItems: 1,
  maxItems: 50,
  description: 'Types of events; `terminal.*` is all that begin so, `*` all',
});
const description = { maxLength: 255, description: 'What it is for' };

const toEventErrors = ({ body }: { body: Record<string, unknown> }): FieldError[] => {
  const { events: names } = body;
  if (!Array.isArray(names)) return [];
  return names.flatMap((name, index): FieldError[] =>
    typeof name !== 'string' || isEventPattern(name)
      ? []
      : [
          {
            field: `events.${index}`,
            text: `The selected events.${index} is invalid.`,
            hint: 'The reference lists the types of events; terminal.* is all that begin so, * all.',
          },
        ],
  );
};

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

const user = <const Ability extends 'read' | 'write' | 'delete'>(ability: Ability) =>
  ({ tag: 'Webhooks', auth: 'user', ability }) as const;

export const webhookRoutes = {
  listWebhooks: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/webhooks',
    summary: 'List webhooks, oldest first',
    query: Type.Object({ after, ...perPageQuery() }),
    response: list(Webhook),
  }),
  createWebhook: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'webhook.create',
    url: '/v1/my/webhooks',
    summary: 'Create a webhook; its secret is shown only this once',
    limit: 'subscription',
    isStrict: true,
    body: Type.Object({
      url,
      events,
      project_id: Type.Optional(Uuid('Only events of its terminals')),
      description: Type.Optional(Type.String(description)),
      is_ordered: Type.Optional(Type.Boolean({ description: 'An event waits for the earlier ones of its terminal' })),
    }),
    rules: toEventErrors,
    response: EnvelopeOrRefusal(NewWebhook),
  }),
  readWebhook: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/webhooks/:webhook_id',
    summary: 'Read a webhook',
    response: Envelope(Webhook),
  }),
  updateWebhook: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'webhook.update',
    url: '/v1/my/webhooks/:webhook_id',
    summary: 'Change a webhook, disable it, or enable it again: it then goes on with what happens from now on',
    limit: 'subscription',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      url: Type.Optional(url),
      events: Type.Optional(events),
      project_id: Type.Optional(Nullable('string', { format: 'uuid', description: 'null: of all projects' })),
      description: Type.Optional(Nullable('string', { ...description, description: 'null: none' })),
      is_ordered: Type.Optional(Type.Boolean({ description: 'An event waits for the earlier ones of its terminal' })),
      status: Type.Optional(OneOf(webhookStatuses)),
    }),
    rules: toEventErrors,
    response: Envelope(Webhook),
  }),
  deleteWebhook: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'webhook.delete',
    url: '/v1/my/webhooks/:webhook_id',
    summary: 'Delete a webhook and its deliveries',
    limit: 'subscription',
    response: Envelope(Null),
  }),
  rotateWebhookSecret: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'webhook.rotate_secret',
    url: '/v1/my/webhooks/:webhook_id/rotate-secret',
    needsConfirmation: true,
    summary: `Make a new secret; both sign for ${WEBHOOK_ROTATION_HOURS} hours`,
    limit: 'subscription',
    isStrict: true,
    response: Envelope(NewWebhook),
  }),
  testWebhook: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/webhooks/:webhook_id/test',
    summary: 'Send a test delivery',
    limit: 'subscription',
    isStrict: true,
    response: EnvelopeOrRefusal(WebhookDelivery),
  }),
  listDeliveries: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/webhooks/:webhook_id/deliveries',
    summary: `List deliveries, newest first; the last ${MAX_WEBHOOK_DELIVERIES.toLocaleString('en')} are kept, as long as the events`,
    query: Type.Object({
      after,
      status: Type.Optional(OneOf(deliveryStatuses, { description: 'Only these' })),
      ...perPageQuery(),
    }),
    response: list(WebhookDelivery),
  }),
  resendDelivery: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/webhooks/:webhook_id/deliveries/:delivery_id/resend',
    summary: 'Send a delivery again, with the same id',
    isStrict: true,
    response: EnvelopeOrRefusal(WebhookDelivery),
  }),
  resendFailed: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/webhooks/:webhook_id/resend-failed',
    summary: 'Send again what failed, with the same ids',
    isStrict: true,
    body: Type.Object({
      since: Type.String({ isoDateTime: true, description: 'ISO 8601: deliveries that were made from then on' }),
    }),
    response: EnvelopeOrRefusal(
      Type.Object({ count: Type.Integer({ description: 'Deliveries that are sent again' }) }),
    ),
  }),
};
