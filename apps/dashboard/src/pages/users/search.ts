/** The query parameters of the users. */
import type { ManagedUser } from '@berth/client';
import { toPage, toText } from '../search-values.ts';

export const userStatuses = ['active', 'suspended', 'closed'] as const satisfies readonly ManagedUser['status'][];

export interface UsersSearch {
  page?: number;
  search?: string;
  status?: ManagedUser['status'];
}

export const toUsersSearch = ({ page, search, status }: Record<string, unknown>): UsersSearch => {
  const known = userStatuses.find((one) => one === status);
  return { ...toPage(page), ...toText('search', search), ...(known === undefined ? {} : { status: known }) };
};
