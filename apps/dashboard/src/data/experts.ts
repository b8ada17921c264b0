import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** Experts of the account: what runs on its terminals, and its files. */
export const useExperts = () =>
  useQuery({
    queryKey: keys.account.experts,
    queryFn: ({ signal }) => berth.files.experts({}, { signal }),
    // What runs is seen by hosts: nothing announces it here.
    refetchInterval: 15_000,
  });
