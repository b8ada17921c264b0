import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeliveryPage, Webhook, WebhookDelivery } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { DeliveryFilter } from './search.ts';

const words = pageTexts.webhook;

const PER_PAGE = 25;
/** No event reports how a delivery ends: it is read again and again, the list more often while it shows one that waits. */
const EVERY_MS = 5_000;
const WAITING_MS = 2_000;

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: keys.webhooks.one(id),
    queryFn: ({ signal }) => berth.webhooks.get(id, { signal }),
    refetchInterval: EVERY_MS,
  });

const isWaiting = (page: DeliveryPage | undefined): boolean =>
  page?.data.some(({ status }) => status === 'pending') ?? false;

export interface DeliveriesShown {
  status: DeliveryFilter | undefined;
  after: string | undefined;
}

export const useDeliveries = (id: string, { status, after }: DeliveriesShown) => {
  const query = {
    per_page: PER_PAGE,
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after }),
  };
  return useQuery({
    queryKey: keys.webhooks.deliveriesOf(id, query),
    queryFn: ({ signal }) => berth.webhooks.pageOfDeliveries(id, query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isWaiting(state.data) ? WAITING_MS : EVERY_MS),
  });
};

/**
 * A delivery as it was read last. It has no route of its own: it is found in the pages that were read, even when newer
 * ones have pushed it to the next page.
 */
export const useDelivery = (webhookId: string, id: string | undefined, shown: readonly WebhookDelivery[]) => {
  const client = useQueryClient();
  const pages = (): (WebhookDelivery | undefined)[] =>
    client
      .getQueriesData<DeliveryPage>({ queryKey: [...keys.webhooks.deliveries, webhookId] })
      .map(([, page]) => page?.data.find((delivery) => delivery.id === id));
  if (id === undefined) return undefined;
  return shown.find((delivery) => delivery.id === id) ?? pages().find((delivery) => delivery !== undefined);
};

/** The event of a delivery. Null: it is not kept any more. */
export const useEvent = (id: number) =>
  useQuery({
    queryKey: keys.webhooks.event(id),
    queryFn: async ({ signal }) => {
      const { data } = await berth.eventLog.page({ after: String(id - 1), per_page: 1 }, { signal });
      return data.find((event) => event.id === id) ?? null;
    },
    staleTime: Infinity,
  });

const touches = () => [keys.webhooks.all];

export const useSwitch = (id: string, onDone?: () => void) =>
  useAction({
    run: (status: Webhook['status']) => berth.webhooks.update(id, { status }),
    done: ({ status }: Webhook) => (status === 'active' ? words.enabled : words.disabled),
    touches,
    ...(onDone ? { onDone } : {}),
  });

/** @param onSent with the delivery of the test, which waits until it is tried */
export const useTest = (id: string, onSent: (delivery: WebhookDelivery) => void) =>
  useAction({ run: () => berth.webhooks.test(id), touches, onDone: onSent });

export const useResend = (id: string) =>
  useAction({
    run: (deliveryId: string) => berth.webhooks.resend(id, deliveryId),
    done: () => words.delivery.resent,
    touches,
  });
