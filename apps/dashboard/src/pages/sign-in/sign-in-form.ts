import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { beginSession } from '../../data/session.ts';

/** After signing in: everything is loaded for the new session, and the user is where they wanted to be. */
export const useEnter = () => {
  const client = useQueryClient();
  const router = useRouter();
  const navigate = useNavigate();
  return useCallback(
    async (back?: string): Promise<void> => {
      await beginSession(client);
      if (back === undefined) await navigate({ to: '/terminals', replace: true });
      else router.history.replace(back);
    },
    [client, router, navigate],
  );
};
