/**
 * From live events to the cache. An event says what changed, not how: whatever shows it is reloaded. An answer is only
 * as recent as the start of its request, so a request that is in flight when an event arrives is never the last one. It
 * may finish, because on a slow line a newer one would overtake it each time, and is then followed by one that starts
 * after the event. Events are collected, and one thing is reloaded at most once per second, so that a burst of a
 * thousand costs two requests. The queue is limited: beyond `MAX_WAITING` names, everything shown is stale.
 */
import { isFinalTaskStatus, TaskType, toTerminalStatusName } from '@berth/contract/values';
import type { LiveEvent, TerminalItem, UserEvent } from '@berth/client';
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../keys.ts';
import { serverNow } from '../server-clock.ts';
import { showDeal, showFigures, type AccountEvent } from './accounts.ts';
import { showEntry } from './history.ts';

const GATHER_MS = 100;
const PAUSE_MS = 1_000;
export const MAX_WAITING = 500;

type TerminalEvent = Extract<LiveEvent, { event: 'terminal' }>;

/** Tasks that change their terminal in a way that no other event reports. */
const switching: ReadonlySet<TaskType> = new Set([
  TaskType.OPTIONS_AUTO_TRADE,
  TaskType.OPTIONS_WEB_REQUEST,
  TaskType.ACCOUNT_SERVER,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.ACCOUNT_OPEN_DEMO,
]);

const hasSwitched = ({ data: { type, status } }: Extract<LiveEvent, { event: 'task' }>): boolean =>
  switching.has(type) && isFinalTaskStatus(status);

const RISK = new Set<UserEvent['type']>(['risk.warning', 'risk.breached', 'security.unlocked']);

/** What happened is also a delivery of each webhook that asks for it. Most of it has events of its own, too. */
const toHappenedKeys = ({ type, terminal_id: id }: UserEvent): readonly QueryKey[] => [
  type.startsWith('security.webhook_') ? keys.webhooks.all : keys.webhooks.deliveries,
  ...(type.startsWith('alert.') ? [keys.alerts.all] : []),
  ...(RISK.has(type) ? [keys.risk.all, keys.accounts.overviews, ...(id === null ? [] : [keys.terminals.one(id)])] : []),
];

const toKeys = (event: Exclude<LiveEvent, { event: 'ready' | 'reset' }>): readonly QueryKey[] => {
  switch (event.event) {
    case 'terminal':
      // Whether figures are current depends on the status.
      return [keys.terminals.lists, keys.terminals.one(event.data.id), keys.accounts.overviews];
    case 'task':
      return [
        keys.tasks.lists,
        keys.tasks.ofTerminal(event.data.terminal_id),
        // Whether EAs may trade is not part of a terminal's status.
        ...(hasSwitched(event)
          ? [keys.stop, keys.terminals.lists, keys.terminals.overviews, keys.terminals.one(event.data.terminal_id)]
          : []),
      ];
    case 'charts':
      return [keys.terminals.charts(event.data.id)];
    case 'notification':
      return [keys.notifications.all];
    case 'bulk_run':
      return [keys.bulkRuns.list, keys.stop];
    case 'happened':
      return toHappenedKeys(event.data);
    default:
      return [];
  }
};

interface TerminalPage {
  data: TerminalItem[];
}

const hasItems = (data: unknown): data is TerminalPage =>
  typeof data === 'object' && data !== null && 'data' in data && Array.isArray(data.data);

/** The event contains the status: it is shown immediately, before the list is reloaded. */
const showStatus = (client: QueryClient, { data: { id, status } }: TerminalEvent): void => {
  client.setQueriesData<TerminalPage | InfiniteData<unknown>>({ queryKey: keys.terminals.lists }, (shown) => {
    if (!hasItems(shown) || !shown.data.some((item) => item.id === id && item.status !== status)) return shown;
    const now = new Date(serverNow()).toISOString();
    const change = { status, status_name: toTerminalStatusName(status), status_reason: null, status_changed_at: now };
    return { ...shown, data: shown.data.map((item) => (item.id === id ? { ...item, ...change } : item)) };
  });
};

export class Staleness {
  readonly #client: QueryClient;
  /** Named by recent events: by the text of the key, so that each thing is queued once. */
  readonly #named = new Map<string, QueryKey>();
  /** The last figures of each account. */
  readonly #figures = new Map<string, AccountEvent>();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  /** Has to be read by a request that has not started yet: the hashes of queries. */
  readonly #stale = new Set<string>();
  /** Reloaded within the last second. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #unwatch: () => void;

  constructor(client: QueryClient) {
    this.#client = client;
    this.#unwatch = client.getQueryCache().subscribe(({ type, query: { queryHash: hash } }) => {
      if (type === 'removed') this.#stale.delete(hash);
      // Its request may have ended just now; callers that wait for that answer get it first.
      else if (type === 'updated' && this.#stale.has(hash)) queueMicrotask(() => this.#readAgain(hash));
    });
  }

  take(event: LiveEvent): void {
    if (event.event === 'ready' || event.event === 'reset') return this.takeAll();
    if (event.event === 'terminal') showStatus(this.#client, event);
    if (event.event === 'terminal') this.#nameAccount(event.data.id);
    if (event.event === 'account.updated') this.#figures.set(event.data.id, event.data);
    const deal = event.event === 'happened' && event.data.type === 'account.deal' ? event.data : undefined;
    const told = deal ? showDeal(this.#client, deal) : toKeys(event);
    const late = event.event === 'happened' ? showEntry(this.#client, event.data) : [];
    for (const key of [...told, ...late]) this.#named.set(JSON.stringify(key), key);
    if (this.#named.size > MAX_WAITING) return this.takeAll();
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Whose figures they are depends on the login; most terminals are not shown with theirs. */
  #nameAccount(id: string): void {
    for (const key of [keys.accounts.one(id), keys.accounts.dealsOf(id)]) {
      if (this.#client.getQueryCache().find({ queryKey: key, exact: false })) this.#named.set(JSON.stringify(key), key);
    }
  }

  /** Everything that was read until now may be outdated. */
  takeAll(): void {
    this.#named.clear();
    this.#note([]);
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** How many things wait to be reloaded. */
  get size(): number {
    return this.#named.size + this.#figures.size + this.#stale.size;
  }

  close(): void {
    this.#unwatch();
    clearTimeout(this.#gathering);
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#named.clear();
    this.#figures.clear();
    this.#stale.clear();
  }

  #note(queryKey: QueryKey): void {
    for (const { queryHash } of this.#client.getQueryCache().findAll({ queryKey })) this.#stale.add(queryHash);
  }

  #flush(): void {
    this.#gathering = undefined;
    if (this.#figures.size > 0) {
      for (const queryKey of showFigures(this.#client, this.#figures)) this.#note(queryKey);
      this.#figures.clear();
    }
    for (const queryKey of this.#named.values()) this.#note(queryKey);
    this.#named.clear();
    for (const hash of this.#stale) this.#readAgain(hash);
  }

  /** Called again when a request of it ends, and when its second is over. */
  #readAgain(hash: string): void {
    const query = this.#client.getQueryCache().get(hash);
    if (!query || !this.#stale.has(hash) || query.state.fetchStatus !== 'idle') return;
    // Any component that shows it from now on reads it first.
    query.invalidate();
    if (query.isActive() && this.#resting.has(hash)) return;
    this.#stale.delete(hash);
    if (!query.isActive()) return;
    this.#rest(hash);
    const { queryKey } = query;
    void this.#client.refetchQueries({ queryKey, exact: true, type: 'active' }, { cancelRefetch: false });
  }

  #rest(hash: string): void {
    const end = (): void => {
      this.#resting.delete(hash);
      this.#readAgain(hash);
    };
    this.#resting.set(hash, setTimeout(end, PAUSE_MS));
  }
}
