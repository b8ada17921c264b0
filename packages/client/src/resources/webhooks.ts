import type { ApiPromise } from '../http/api-promise.ts';
import { toPath, type Call } from '../http/call.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  CreatedWebhook,
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  ResentDeliveries,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookPage,
  WebhookQuery,
} from '../types.ts';
import { Group } from './group.ts';

const WEBHOOKS = '/v1/my/webhooks';

const toCall = (method: Call['method'], id: string, rest: string, options?: CallOptions, body?: object) => () => ({
  method,
  path: WEBHOOKS + toPath`/${id}` + rest,
  body,
  options,
});

/**
 * Endpoints that are sent what happens. What arrives there is checked with `verifyWebhook` of `@berth/client/webhook`.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id, secret } = await berth.webhooks.create({ url: 'https://example.com/berth', events: ['terminal.*'] });
 * await berth.webhooks.test(id);
 */
export class Webhooks extends Group {
  /** All webhooks, oldest first. */
  list(options?: CallOptions): List<Webhook> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: WebhookQuery = {}, options?: CallOptions): ApiPromise<WebhookPage> {
    return this.transport.json({ method: 'GET', path: WEBHOOKS, query, options }, 'anything');
  }

  /** Creates a webhook. Keep its `secret`: it is not shown again. */
  create(body: NewWebhook, options?: CallOptions): ApiPromise<CreatedWebhook> {
    return this.transport.data({ method: 'POST', path: WEBHOOKS, body, options });
  }

  /** One webhook. */
  get(id: string, options?: CallOptions): ApiPromise<Webhook> {
    return this.transport.data(toCall('GET', id, '', options));
  }

  /** Changes it; `status: 'disabled'` sends nothing more, `active` sends what happens from then on. */
  update(id: string, body: WebhookChanges, options?: CallOptions): ApiPromise<Webhook> {
    return this.transport.data(toCall('PATCH', id, '', options, body));
  }

  /** Deletes it, with its deliveries. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(toCall('DELETE', id, '', options));
  }

  /** Makes a new secret; for 24 hours the old one signs, too. */
  rotateSecret(id: string, options?: CallOptions): ApiPromise<CreatedWebhook> {
    return this.transport.data(toCall('POST', id, '/rotate-secret', options));
  }

  /** Sends a test. */
  test(id: string, options?: CallOptions): ApiPromise<WebhookDelivery> {
    return this.transport.data(toCall('POST', id, '/test', options));
  }

  /** Its deliveries, newest first. */
  deliveries(
    id: string,
    query: Omit<DeliveryQuery, 'after' | 'per_page'> = {},
    options?: CallOptions,
  ): List<WebhookDelivery> {
    return new List((page) => this.pageOfDeliveries(id, { ...query, ...page }, options));
  }

  /** One page of them. */
  pageOfDeliveries(id: string, query: DeliveryQuery = {}, options?: CallOptions): ApiPromise<DeliveryPage> {
    return this.transport.json(() => ({ ...toCall('GET', id, '/deliveries', options)(), query }), 'anything');
  }

  /** Sends a delivery again, under the same id. */
  resend(id: string, deliveryId: string, options?: CallOptions): ApiPromise<WebhookDelivery> {
    return this.transport.data(toCall('POST', id, toPath`/deliveries/${deliveryId}/resend`, options));
  }

  /** Sends again what failed. @param since ISO 8601: deliveries that were made from then on */
  resendFailed(id: string, since: string, options?: CallOptions): ApiPromise<ResentDeliveries> {
    return this.transport.data(toCall('POST', id, '/resend-failed', options, { since }));
  }
}
