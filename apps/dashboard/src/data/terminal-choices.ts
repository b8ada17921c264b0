import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** Counts of all terminals, with what filters can choose from. */
export const choices = { include: 'choices' as const };

/** The tags and trading servers of all terminals of the account, as choices. */
export const useTerminalChoices = () =>
  useQuery({
    queryKey: keys.terminals.counts(choices),
    queryFn: ({ signal }) => berth.terminals.counts(choices, { signal }),
    select: ({ choices: found }) => found,
    placeholderData: keepPreviousData,
  });

const FOUND = 20;

/** The first terminals that a search finds, by name. */
export const useFoundTerminals = (search: string) => {
  const query = { per_page: FOUND, sort_by: 'name' as const, sort_direction: 'asc' as const };
  const asked = search.trim() === '' ? query : { ...query, search: search.trim() };
  return useQuery({
    queryKey: keys.terminals.list({ choice: asked }),
    queryFn: ({ signal }) => berth.terminals.page(asked, { signal }),
    placeholderData: keepPreviousData,
  });
};
