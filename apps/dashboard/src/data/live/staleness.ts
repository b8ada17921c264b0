/**
 * From live events to the cache. An event names what changed, not how: what shows it is read again. Events are gathered,
 * so that a burst of a thousand costs one reading: at most one per second of each thing, and a reading that is under way
 * is left to end and is followed by another one. What waits is bounded: beyond `MAX_WAITING`, all that is shown is stale.
 */
import { isFinalTaskStatus, TaskType, toTerminalStatusName } from '@berth/contract/values';
import type { LiveEvent, TerminalItem } from '@berth/client';
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../keys.ts';

const GATHER_MS = 100;
const PAUSE_MS = 1_000;
export const MAX_WAITING = 500;

type TerminalEvent = Extract<LiveEvent, { event: 'terminal' }>;

const changesTrading = ({ data: { type, status } }: Extract<LiveEvent, { event: 'task' }>): boolean =>
  type === TaskType.OPTIONS_AUTO_TRADE && isFinalTaskStatus(status);

const toKeys = (event: LiveEvent): readonly QueryKey[] => {
  switch (event.event) {
    case 'terminal':
      return [keys.terminals.lists, keys.terminals.one(event.data.id)];
    case 'task':
      return [
        keys.tasks.lists,
        keys.tasks.ofTerminal(event.data.terminal_id),
        // Whether experts may trade is part of no terminal's status.
        ...(changesTrading(event) ? [keys.terminals.overviews] : []),
      ];
    case 'charts':
      return [keys.terminals.charts(event.data.id)];
    case 'notification':
      return [keys.notifications.all];
    case 'ready':
    case 'reset':
      return [[]];
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
    const now = new Date().toISOString();
    const change = { status, status_name: toTerminalStatusName(status), status_reason: null, status_changed_at: now };
    return { ...shown, data: shown.data.map((item) => (item.id === id ? { ...item, ...change } : item)) };
  });
};

export class Staleness {
  readonly #client: QueryClient;
  /** By the text of the key, so that one thing waits once. */
  readonly #waiting = new Map<string, QueryKey>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  take(event: LiveEvent): void {
    if (event.event === 'terminal') showStatus(this.#client, event);
    for (const key of toKeys(event)) this.#waiting.set(JSON.stringify(key), key);
    if (this.#waiting.size > MAX_WAITING) this.takeAll();
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Everything that is shown may be old. */
  takeAll(): void {
    this.#waiting.clear();
    this.#waiting.set('[]', []);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** How many things wait to be read again. */
  get size(): number {
    return this.#waiting.size;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    for (const [text, queryKey] of this.#waiting) {
      const isUnderWay = this.#client.isFetching({ queryKey, type: 'active' }) > 0;
      // One that began before the change may miss it: it stays here until that one has ended.
      if (isUnderWay) continue;
      this.#waiting.delete(text);
      void this.#client.invalidateQueries({ queryKey });
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#flush(), PAUSE_MS);
  }
}
