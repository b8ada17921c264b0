/** The cache. Live events say what is stale; nothing is reloaded merely because time has passed. */
import { NotFoundError, RateLimitError } from '@berth/client';
import {
  CancelledError,
  MutationCache,
  QueryCache,
  QueryClient,
  type FetchQueryOptions,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { toWhyLeft, type WhyLeft } from './leave.ts';
import { isAway } from './presence.ts';

/** How long unused data is kept. */
const KEEP_MS = 5 * 60_000;
/**
 * Above this number, unused data is dropped, the oldest first: a day of searching must not fill the memory of a tab.
 */
export const MAX_QUERIES = 200;

/** Requests that were refused together are not retried together. */
const SPREAD_MS = 500;
const USUAL_LIMIT_MS = 5_000;
/** When contact is back, everything is read at once (`live/contact.ts`): this is for what that missed. */
const AWAY_MS = 10_000;
const toLimitMs = (error: Error): number =>
  (error instanceof RateLimitError ? error.retryAfterMs : undefined) ?? USUAL_LIMIT_MS;

export interface QueryClientOptions {
  /** The session is over: it expired, was revoked elsewhere, or its account was suspended. */
  onSignedOut: (why: WhyLeft) => void;
}

/** A query without data has only just been created: somebody is about to use it. */
const toAge = ({ state }: Query): number => state.dataUpdatedAt || Infinity;

const prune = (client: QueryClient): void => {
  const queries = client.getQueryCache().getAll();
  if (queries.length <= MAX_QUERIES) return;
  const idle = queries.filter((query) => query.getObserversCount() === 0 && query.state.fetchStatus === 'idle');
  idle.sort((a, b) => (toAge(a) === toAge(b) ? 0 : toAge(a) - toAge(b)));
  for (const query of idle.slice(0, queries.length - MAX_QUERIES)) client.getQueryCache().remove(query);
};

export const createQueryClient = ({ onSignedOut }: QueryClientOptions): QueryClient => {
  const onError = (error: Error): void => {
    const why = toWhyLeft(error);
    if (why !== undefined) onSignedOut(why);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // The client itself retries what is worth retrying. After too many requests, and while there is no contact with
        // the server, wait as long as it takes: the page says so, and shows what it has.
        retry: (_count, error) => error instanceof RateLimitError || isAway(),
        retryDelay: (_count, error) => (isAway() ? AWAY_MS : toLimitMs(error)) + Math.random() * SPREAD_MS,
        staleTime: 30_000,
        gcTime: KEEP_MS,
        refetchOnWindowFocus: 'always',
        refetchOnReconnect: 'always',
        // Requests are made even when the browser believes it is offline: the server may be on this very machine.
        networkMode: 'always',
        // What is gone stays gone, and old data stays on the page while it is reloaded.
        throwOnError: false,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  client.getQueryCache().subscribe(({ type }) => {
    if (type === 'added') prune(client);
  });
  return client;
};

/**
 * Reloads what the key names, with requests that start now. A request in flight may have started before the change, and
 * a query that has no data yet would wait for that one alone, so it is canceled.
 */
export const readAnew = (client: QueryClient, queryKey: QueryKey = []): void => {
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
    void query.cancel(query.isActive() ? { silent: true } : { revert: true });
  }
  void client.invalidateQueries({ queryKey });
};

/**
 * Reads what a page cannot be opened without. A request is canceled when nothing on the page uses it any more, or when
 * its answer would be outdated; a caller that waits for it here then requests it again.
 */
export const readForPage = async <Data, Key extends QueryKey>(
  client: QueryClient,
  query: FetchQueryOptions<Data, Error, Data, Key>,
): Promise<Data> => {
  for (;;) {
    try {
      return await client.fetchQuery(query);
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error;
    }
  }
};

export const isGone = (error: unknown): boolean => error instanceof NotFoundError;
