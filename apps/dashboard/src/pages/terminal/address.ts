import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { TerminalSearch } from './search.ts';

type Changes = { [Name in keyof TerminalSearch]: TerminalSearch[Name] | undefined };

/** The query parameters, and a way to change some of them; one that becomes undefined is removed. */
export const useAddress = () => {
  const search = useSearch({ from: '/in/terminals/$id' });
  const navigate = useNavigate({ from: '/terminals/$id' });
  const change = useCallback(
    (changes: Changes, { replace = false }: { replace?: boolean } = {}) =>
      void navigate({
        search: (old) => {
          const next = Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined);
          return Object.fromEntries(next);
        },
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
};
