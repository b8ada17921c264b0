/** The query parameters of the users. */
import type { ManagedUser } from '@berth/client';
import { toOneOf, toPage, toText } from '../../data/search-values.ts';

export const userStatuses = ['active', 'suspended', 'closed'] as const satisfies readonly ManagedUser['status'][];

export interface UsersSearch {
  page?: number;
  search?: string;
  status?: ManagedUser['status'];
}

export const toUsersSearch = ({ page, search, status }: Record<string, unknown>): UsersSearch => ({
  ...toPage(page),
  ...toText('search', search),
  ...toOneOf('status', userStatuses, status),
});
