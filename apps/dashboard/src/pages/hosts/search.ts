/** The query parameters of the hosts: the page, and the host whose terminals are in the side sheet. */
import { toPage, toText } from '../../data/search-values.ts';

export interface HostsSearch {
  page?: number;
  /** Id of a host. */
  host?: string;
}

export const toHostsSearch = ({ page, host }: Record<string, unknown>): HostsSearch => ({
  ...toPage(page),
  ...toText('host', host),
});
