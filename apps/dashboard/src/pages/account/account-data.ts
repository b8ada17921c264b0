import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';

const PER_PAGE = 25;

export const useTokens = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useQuery({
    queryKey: keys.account.tokens(query),
    queryFn: ({ signal }) => berth.account.tokens.page(query, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const useSessions = () =>
  useQuery({
    queryKey: keys.account.sessions,
    queryFn: ({ signal }) => berth.account.sessions.list({ signal }).toArray(),
  });

export const useNotifications = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useQuery({
    queryKey: keys.notifications.list(query),
    queryFn: ({ signal }) => berth.account.notifications.page(query, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const useUsage = () =>
  useQuery({
    queryKey: [...keys.account.all, 'usage'],
    queryFn: ({ signal }) => berth.account.usage({ signal }),
  });

export const useFiles = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useQuery({
    queryKey: keys.account.files(query),
    queryFn: ({ signal }) => berth.files.page(query, { signal }),
    placeholderData: keepPreviousData,
  });
};
