/** The query parameters of the alerts: which tab, of which rule, and where its list begins. */
import { toOneOf, toText } from '../search-values.ts';

export const alertTabs = ['open', 'resolved', 'rules', 'channels'] as const;
export type AlertTab = (typeof alertTabs)[number];

export interface AlertsSearch {
  /** Defaults to `open`. */
  tab?: AlertTab;
  /** Id of the rule whose resolved alerts are shown. */
  rule?: string;
  after?: string;
}

export const toAlertsSearch = ({ tab, rule, after }: Record<string, unknown>): AlertsSearch => ({
  ...toOneOf('tab', alertTabs, tab),
  ...toText('rule', rule),
  ...toText('after', after),
});
