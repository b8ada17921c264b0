import { useQuery } from '@tanstack/react-query';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';

/** No event reports how a delivery ends. */
const EVERY_MS = 15_000;

/** All webhooks: an account has few. */
export const useWebhooks = () =>
  useQuery({
    queryKey: keys.webhooks.list,
    queryFn: ({ signal }) => berth.webhooks.list({ signal }).toArray(),
    refetchInterval: EVERY_MS,
  });
