/** The query parameters of a webhook's page: its tab, and which of its deliveries. */
import { toOneOf, toText } from '../../data/search-values.ts';

export const webhookTabs = ['deliveries', 'signature'] as const;
export type WebhookTab = (typeof webhookTabs)[number];

export const deliveryFilters = ['pending', 'failed', 'succeeded'] as const;
export type DeliveryFilter = (typeof deliveryFilters)[number];

export interface WebhookSearch {
  /** Defaults to `deliveries`. */
  tab?: WebhookTab;
  status?: DeliveryFilter;
  /** The list begins after this delivery. */
  after?: string;
  /** A delivery that is shown in detail. */
  delivery?: string;
}

export const toWebhookSearch = ({ tab, status, after, delivery }: Record<string, unknown>): WebhookSearch => ({
  ...toOneOf('tab', webhookTabs, tab),
  ...toOneOf('status', deliveryFilters, status),
  ...toText('after', after),
  ...toText('delivery', delivery),
});
