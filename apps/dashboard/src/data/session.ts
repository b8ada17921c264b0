/**
 * The current user. The cookie is the browser's; this only knows the name, and what the server says about the session.
 */
import { AuthenticationError, type CurrentSession } from '@berth/client';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { hasRole, type OperatorRole } from '@berth/contract/values';
import { texts } from '../texts/texts.ts';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { readForPage } from './query-client.ts';

export type User = CurrentSession['user'];

const JUST_NOW_MS = 5_000;

/** What may be offered to a visitor who is not signed in. */
export const signInOptionsQuery = queryOptions({
  queryKey: keys.signInOptions,
  queryFn: ({ signal }) => berth.auth.options({ signal }),
  staleTime: 0,
});

/** null: nobody is signed in here. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal, client }): Promise<User | null> => {
    try {
      // Requested first, because a browser logs every 401 to its console, and being signed out is not an error. The
      // start of a page has just requested it.
      const { has_session: hasSession } = await readForPage(client, { ...signInOptionsQuery, staleTime: JUST_NOW_MS });
      if (!hasSession) return null;
      return (await berth.auth.session({ signal })).user;
    } catch (error) {
      if (error instanceof AuthenticationError) return null;
      throw error;
    }
  },
  staleTime: Infinity,
});

/** Whether the server sends mails; if not, the operator has them in files. */
export const useMails = (): boolean =>
  useQuery({ ...signInOptionsQuery, staleTime: Infinity }).data?.sends_mails !== false;

/** Whether somebody is signed in here; requested only while that is unknown. */
export const isSignedIn = async (client: QueryClient): Promise<boolean> =>
  Boolean(client.getQueryData(sessionQuery.queryKey)) || (await readForPage(client, signInOptionsQuery)).has_session;

/** The current user; only on pages that require one. */
export const useUser = (): User => {
  const { data } = useQuery(sessionQuery);
  return data ?? { name: '', email: '', is_operator: false, role: null };
};

/** Why the current user cannot do what needs the role; undefined where that is possible. */
export const useWhyNot = (needed: OperatorRole): string | undefined =>
  hasRole(useUser().role, needed) ? undefined : texts.needsRole[needed];

/** Switches to the new session: nothing that another account read remains. */
export const beginSession = async (client: QueryClient): Promise<void> => {
  client.clear();
  await readForPage(client, { ...sessionQuery, staleTime: 0 });
};

/** Clears everything that was read. */
export const endSession = (client: QueryClient): void => {
  client.clear();
  client.setQueryData<User | null>(keys.session, null);
};
