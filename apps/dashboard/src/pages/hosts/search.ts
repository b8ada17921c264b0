/** The query parameters of the hosts. */
import { toPage } from '../search-values.ts';

export interface HostsSearch {
  page?: number;
}

export const toHostsSearch = ({ page }: Record<string, unknown>): HostsSearch => toPage(page);
