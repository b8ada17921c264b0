import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** All projects of the account, as choices: at most a thousand. */
export const useAllProjects = () =>
  useQuery({
    queryKey: keys.projects.list({ all: true }),
    queryFn: ({ signal }) => berth.projects.list({}, { signal }).toArray(),
  });
