/** Entries of the history of a terminal come with their events: they are shown without a request. */
import type { UserEvent } from '@berth/client';
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../keys.ts';

/**
 * What a history tells. That a terminal is down, up, or was refused is a change of its status, too; deals are on the
 * tab Trading.
 */
export const historyTypes = [
  'terminal.status_changed',
  'terminal.other_account',
  'terminal.updated',
  'trading.switched',
  'expert.failed',
  'task.finished',
  'risk.warning',
  'risk.breached',
  'security.unlocked',
] as const satisfies readonly UserEvent['type'][];

export type HistoryEvent = Extract<UserEvent, { type: (typeof historyTypes)[number] }>;

export const isHistoryEvent = (event: UserEvent): event is HistoryEvent =>
  (historyTypes as readonly string[]).includes(event.type);

export interface HistoryPage {
  /** Newest first. */
  events: HistoryEvent[];
  /** Where the next page goes on; null: there is none. */
  next: string | null;
}

/**
 * Shows an entry in the history of its terminal, if that is shown.
 * @returns what has to be read again: an answer that is on its way may not have it
 */
export const showEntry = (client: QueryClient, event: UserEvent): QueryKey[] => {
  if (event.terminal_id === null || !isHistoryEvent(event)) return [];
  const queryKey = keys.terminals.history(event.terminal_id);
  if (client.getQueryState(queryKey)?.fetchStatus === 'fetching') return [queryKey];
  client.setQueryData<InfiniteData<HistoryPage, string | null>>(queryKey, (shown) => {
    const [first, ...others] = shown?.pages ?? [];
    if (!shown || !first || first.events.some(({ id }) => id >= event.id)) return shown;
    return { ...shown, pages: [{ ...first, events: [event, ...first.events] }, ...others] };
  });
  return [];
};
