/**
 * Runs that were requested in this tab and that the server has not accepted yet: it may be unreachable, or reject
 * requests for a while. Each has one key, so that none is created twice, however often it is sent.
 */
import { RateLimitError, ServerError, type BulkRun, type CreatableTaskName, type CreateOptions } from '@berth/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { berth } from '../data/berth.ts';
import { createRandomText } from '../data/random.ts';
import { serverNow } from '../data/server-clock.ts';
import { toNewRunTitle, type NewRun } from './run.ts';
import { showRun as putRun } from './runs-data.ts';

/** Waits of up to a minute each. */
const RETRIES = 10;
const MAX_REQUESTS = 5;

export interface RunRequest {
  /** Also its idempotency key. */
  id: string;
  /** The requested run, as text. */
  newRun: string;
  title: string;
  /** When it is retried; by the server's clock. */
  retryAt: number | undefined;
  /** Why it waits: too many requests, or no answer. */
  isLimited: boolean;
  /** Why it was abandoned. */
  error: unknown;
  send: () => void;
  cancel: () => void;
}

let requests: readonly RunRequest[] = [];
let shownId: string | undefined;
const listeners = new Set<() => void>();
/** Runs whose end is to be announced: those that were seen open, and this tab's own, which may end before that. */
export const awaitedIds = new Set<string>();

const reportAll = (): void => {
  for (const listener of listeners) listener();
};

const change = (id: string, changes: Partial<RunRequest>): void => {
  requests = requests.map((request) => (request.id === id ? { ...request, ...changes } : request));
  reportAll();
};

const remove = (id: string): void => {
  requests = requests.filter((request) => request.id !== id);
  reportAll();
};

/** Opens the dialog of a run or of a request; undefined closes it. */
export const show = (id: string | undefined): void => {
  shownId = id;
  reportAll();
};

type Create = (type: CreatableTaskName, body: object, options: CreateOptions) => Promise<BulkRun>;

/** The client's own signature takes the payload of one type at a time. */
const createRun = berth.bulkRuns.create.bind(berth.bulkRuns) as Create;

/** Algo trading off on all terminals is a stop: the service asks those again that do not confirm it. */
const isStopOfAll = (newRun: NewRun): boolean =>
  'all' in newRun &&
  newRun.type === 'OPTIONS_AUTO_TRADE' &&
  (newRun.payload as { allow_algo_trading?: unknown }).allow_algo_trading === 0;

export const createNewRun = async (newRun: NewRun, options: CreateOptions): Promise<BulkRun> => {
  if (isStopOfAll(newRun)) return berth.bulkRuns.get((await berth.tradingStop.start(options)).run_id, options);
  const { type, ...body } = newRun;
  return createRun(type, body, options);
};

const begin = (newRun: NewRun, onBegun: (run: BulkRun) => void): void => {
  const text = JSON.stringify(newRun);
  const same = requests.find(({ newRun: asked, error }) => asked === text && error === undefined);
  // It was clicked twice.
  if (same) return show(same.id);
  const id = createRandomText();
  let stop = new AbortController();
  const send = async (): Promise<void> => {
    stop = new AbortController();
    const { signal } = stop;
    change(id, { retryAt: undefined, error: undefined });
    const onRetry = ({ error, retryInMs }: { error: unknown; retryInMs: number }): void =>
      change(id, {
        retryAt: serverNow() + retryInMs,
        isLimited: error instanceof RateLimitError || (error instanceof ServerError && error.status === 503),
      });
    try {
      const run = await createNewRun(newRun, { idempotencyKey: id, maxRetries: RETRIES, signal, onRetry });
      if (shownId === id) shownId = run.id;
      awaitedIds.add(run.id);
      remove(id);
      onBegun(run);
    } catch (error) {
      if (!signal.aborted) change(id, { retryAt: undefined, error });
    }
  };
  const cancel = (): void => {
    stop.abort();
    if (shownId === id) shownId = undefined;
    remove(id);
  };
  const title = toNewRunTitle(newRun);
  const request = { id, newRun: text, title, retryAt: undefined, isLimited: false, error: undefined, cancel };
  // Failed ones make room; waiting ones are never dropped.
  const kept = requests.length < MAX_REQUESTS ? requests : requests.filter(({ error }) => error === undefined);
  requests = [...kept, { ...request, send: () => void send() }];
  shownId = id;
  void send();
};

/** Starts runs: one call for all of the terminals, which the server carries on. */
export const useBeginRun = (): ((newRun: NewRun, onBegun?: (run: BulkRun) => void) => void) => {
  const client = useQueryClient();
  return useCallback(
    (newRun, onBegun) =>
      begin(newRun, (run) => {
        putRun(client, run);
        onBegun?.(run);
      }),
    [client],
  );
};

/** Opens the dialog of a run that a form has created, and announces its end. */
export const showBegun = (client: QueryClient, run: BulkRun): void => {
  putRun(client, run);
  awaitedIds.add(run.id);
  show(run.id);
};

/** After a sign-out: another account sees nothing of it, and nothing is sent any more. */
export const forgetRequests = (): void => {
  for (const { cancel } of requests) cancel();
  awaitedIds.clear();
  show(undefined);
};

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useRequests = (): readonly RunRequest[] => useSyncExternalStore(watch, () => requests);
export const useShownId = (): string | undefined => useSyncExternalStore(watch, () => shownId);
