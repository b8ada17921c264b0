/** The query parameters of the account: which tab, and which page of its list. */
import { toOneOf, toPage } from '../search-values.ts';

export const accountTabs = [
  'profile',
  'notifications',
  'tokens',
  'webhooks',
  'sessions',
  'files',
  'password',
  'appearance',
] as const;
export type AccountTab = (typeof accountTabs)[number];

const onlyUnread = ['unread'] as const;

export interface AccountSearch {
  tab?: AccountTab;
  page?: number;
  /** Only notifications that are unread. */
  only?: 'unread';
}

export const toAccountSearch = ({ tab, page, only }: Record<string, unknown>): AccountSearch => ({
  ...toOneOf('tab', accountTabs, tab),
  ...toPage(page),
  ...toOneOf('only', onlyUnread, only),
});
