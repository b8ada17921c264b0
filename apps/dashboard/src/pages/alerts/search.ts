/** The query parameters of the alerts: which tab, and where its list begins. */
import { toOneOf, toText } from '../search-values.ts';

export const alertTabs = ['open', 'resolved', 'rules', 'channels'] as const;
export type AlertTab = (typeof alertTabs)[number];

export interface AlertsSearch {
  /** Defaults to `open`. */
  tab?: AlertTab;
  after?: string;
}

export const toAlertsSearch = ({ tab, after }: Record<string, unknown>): AlertsSearch => ({
  ...toOneOf('tab', alertTabs, tab),
  ...toText('after', after),
});
