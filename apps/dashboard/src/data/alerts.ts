/** Alerts, their rules and channels: an account has few of the latter two, so they are read whole. */
import { MAX_RULE_CHANNELS } from '@berth/contract/values';
import type { AlertChannel, AlertCondition } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

const PER_PAGE = 20;

export interface AlertsShown {
  status: 'open' | 'resolved';
  rule_id?: string | undefined;
  resolved_since?: string | undefined;
  after?: string | undefined;
  /** How often it is read though no event says so, in milliseconds: messages are sent without an event. */
  everyMs?: number;
}

/** One page of alerts, newest first. */
export const useAlerts = ({ everyMs, ...shown }: AlertsShown) => {
  const query = { per_page: PER_PAGE, ...shown };
  return useQuery({
    queryKey: keys.alerts.list(query),
    queryFn: ({ signal }) => berth.alerts.page(query, { signal }),
    placeholderData: keepPreviousData,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
};

/** How many are open: "3", "20+"; undefined while that is not known. */
export const useOpenCount = (): string | undefined => {
  const { data } = useAlerts({ status: 'open' });
  return data && `${data.data.length}${data.pagination.next_cursor === null ? '' : '+'}`;
};

export const useAlertRules = () =>
  useQuery({
    queryKey: keys.alerts.rules,
    queryFn: ({ signal }) => berth.alerts.rules.list({ signal }).toArray(),
  });

export const useAlertChannels = () =>
  useQuery({
    queryKey: keys.alerts.channels,
    queryFn: ({ signal }) => berth.alerts.channels.list({ signal }).toArray(),
  });

/** The channels that a new rule begins with: all, as far as a rule takes them. */
export const toUsualChannels = (channels: readonly AlertChannel[]): AlertChannel[] =>
  channels.slice(0, MAX_RULE_CHANNELS);

/** How long a condition lasts before it is told, unless somebody chooses otherwise. */
export const toUsualMinutes = (when: AlertCondition): number => (when === 'terminal_down' ? 5 : 0);
