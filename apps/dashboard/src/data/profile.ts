import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** The signed-in user, with all account data, including the default project. */
export const useProfile = () =>
  useQuery({ queryKey: keys.account.profile, queryFn: ({ signal }) => berth.account.profile({ signal }) });
