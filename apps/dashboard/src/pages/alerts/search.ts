/** The query parameters of the alerts: which tab, of which rule, since when, and where its list begins. */
import { toOneOf, toText } from '../../data/search-values.ts';

export const alertTabs = ['open', 'resolved', 'rules', 'channels'] as const;
export type AlertTab = (typeof alertTabs)[number];

/** Within which alerts were over; `month` unless another one is chosen. */
export const periods = ['day', 'week', 'month', 'all'] as const;
export type Period = (typeof periods)[number];

export interface AlertsSearch {
  /** Defaults to `open`. */
  tab?: AlertTab;
  /** Id of the rule whose resolved alerts are shown. */
  rule?: string;
  /** Defaults to `month`. */
  within?: Period;
  after?: string;
}

export const toAlertsSearch = ({ tab, rule, within, after }: Record<string, unknown>): AlertsSearch => ({
  ...toOneOf('tab', alertTabs, tab),
  ...toText('rule', rule),
  ...toOneOf('within', periods, within),
  ...toText('after', after),
});
