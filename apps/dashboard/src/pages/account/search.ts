/** The query parameters of the account: which tab, and which page of its list. */
import { toAuditSearch, type AuditSearch } from '../../parts/audit/search.ts';
import { toOneOf, toPage } from '../../data/search-values.ts';

export const accountTabs = [
  'profile',
  'notifications',
  'tokens',
  'webhooks',
  'sessions',
  'files',
  'experts',
  'password',
  'appearance',
  'audit',
] as const;
export type AccountTab = (typeof accountTabs)[number];

const onlyUnread = ['unread'] as const;

export interface AccountSearch extends Omit<AuditSearch, 'actor'> {
  tab?: AccountTab;
  page?: number;
  /** Only notifications that are unread. */
  only?: 'unread';
}

export const toAccountSearch = ({ tab, page, only, ...rest }: Record<string, unknown>): AccountSearch => ({
  ...toAuditSearch({ ...rest, actor: undefined }),
  ...toOneOf('tab', accountTabs, tab),
  ...toPage(page),
  ...toOneOf('only', onlyUnread, only),
});
