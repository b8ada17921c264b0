import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useReading } from '../../data/reading.ts';

const PER_PAGE = 25;

export const useTokens = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useReading(keys.account.tokens(query), (request) => berth.account.tokens.page(query, request));
};

export const useSessions = () =>
  useQuery({
    queryKey: keys.account.sessions,
    queryFn: ({ signal }) => berth.account.sessions.list({ signal }).toArray(),
  });

export const useNotifications = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useReading(keys.notifications.list(query), (request) => berth.account.notifications.page(query, request));
};

export const useUsage = () =>
  useQuery({
    queryKey: [...keys.account.all, 'usage'],
    queryFn: ({ signal }) => berth.account.usage({ signal }),
  });

export const useFiles = (page: number) => {
  const query = { page, per_page: PER_PAGE };
  return useReading(keys.account.files(query), (request) => berth.files.page(query, request));
};
