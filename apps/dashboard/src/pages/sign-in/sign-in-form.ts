import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { goTo } from '../../data/place.ts';
import { beginSession } from '../../data/session.ts';

/** After signing in: everything is loaded for the new session, and the user is where they wanted to be. */
export const useEnter = () => {
  const client = useQueryClient();
  return useCallback(
    async (back = '/terminals'): Promise<void> => {
      await beginSession(client);
      goTo(back, { replaces: true });
    },
    [client],
  );
};
