/**
 * From live events to the cache. An event names what changed, not how: what shows it is read again. An answer is only as
 * new as the beginning of its reading, so a reading that is under way when an event comes is never the last one. It is left
 * to end, because on a slow line another one would overtake it each time, and is then followed by one that begins after the
 * event. Events are gathered, and one thing is read again at most once per second, so that a burst of a thousand costs two
 * readings. What waits is bounded: beyond `MAX_WAITING` names, all that is shown is stale.
 */
import { isFinalTaskStatus, TaskType, toTerminalStatusName } from '@berth/contract/values';
import type { LiveEvent, TerminalItem } from '@berth/client';
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../keys.ts';
import { serverNow } from '../server-clock.ts';

const GATHER_MS = 100;
const PAUSE_MS = 1_000;
export const MAX_WAITING = 500;

type TerminalEvent = Extract<LiveEvent, { event: 'terminal' }>;

/** Tasks after which their terminal is another one, which no other event need report. */
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

const toKeys = (event: Exclude<LiveEvent, { event: 'ready' | 'reset' }>): readonly QueryKey[] => {
  switch (event.event) {
    case 'terminal':
      return [keys.terminals.lists, keys.terminals.one(event.data.id)];
    case 'task':
      return [
        keys.tasks.lists,
        keys.tasks.ofTerminal(event.data.terminal_id),
        // Whether experts may trade is part of no terminal's status.
        ...(hasSwitched(event)
          ? [keys.terminals.lists, keys.terminals.overviews, keys.terminals.one(event.data.terminal_id)]
          : []),
      ];
    case 'charts':
      return [keys.terminals.charts(event.data.id)];
    case 'notification':
      return [keys.notifications.all];
    case 'bulk_run':
      return [keys.bulkRuns.list];
    default:
      // What is shown of the log has events of its own.
      return [];
  }
};

interface TerminalPage {
  data: TerminalItem[];
}

const hasItems = (data: unknown): data is TerminalPage =>
  typeof data === 'object' && data !== null && 'data' in data && Array.isArray(data.data);

/** The status is in the event itself: it is shown at once, before the list is read again. */
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
  /** What the events of this moment name: by the text of the key, so that one thing waits once. */
  readonly #named = new Map<string, QueryKey>();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  /** What has to be read by a reading that has not begun yet: the hashes of queries. */
  readonly #stale = new Set<string>();
  /** What was read again within the last second. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #unwatch: () => void;

  constructor(client: QueryClient) {
    this.#client = client;
    this.#unwatch = client.getQueryCache().subscribe(({ type, query: { queryHash: hash } }) => {
      if (type === 'removed') this.#stale.delete(hash);
      // Its reading may have ended just now; whoever waits for that answer takes it first.
      else if (type === 'updated' && this.#stale.has(hash)) queueMicrotask(() => this.#readAgain(hash));
    });
  }

  take(event: LiveEvent): void {
    if (event.event === 'ready' || event.event === 'reset') return this.takeAll();
    if (event.event === 'terminal') showStatus(this.#client, event);
    for (const key of toKeys(event)) this.#named.set(JSON.stringify(key), key);
    if (this.#named.size > MAX_WAITING) return this.takeAll();
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Everything that was asked for until now may be old. */
  takeAll(): void {
    this.#named.clear();
    this.#note([]);
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** How many things wait to be read again. */
  get size(): number {
    return this.#named.size + this.#stale.size;
  }

  close(): void {
    this.#unwatch();
    clearTimeout(this.#gathering);
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#named.clear();
    this.#stale.clear();
  }

  #note(queryKey: QueryKey): void {
    for (const { queryHash } of this.#client.getQueryCache().findAll({ queryKey })) this.#stale.add(queryHash);
  }

  #flush(): void {
    this.#gathering = undefined;
    for (const queryKey of this.#named.values()) this.#note(queryKey);
    this.#named.clear();
    for (const hash of this.#stale) this.#readAgain(hash);
  }

  /** Is called once more when a reading of it ends, and when its second is over. */
  #readAgain(hash: string): void {
    const query = this.#client.getQueryCache().get(hash);
    if (!query || !this.#stale.has(hash) || query.state.fetchStatus !== 'idle') return;
    // Whoever shows it from now on reads it first.
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
