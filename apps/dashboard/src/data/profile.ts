import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** Who is signed in, with everything that the service knows; also which project is the default. */
export const useProfile = () =>
  useQuery({ queryKey: keys.account.profile, queryFn: ({ signal }) => berth.account.profile({ signal }) });
