/** Who is signed in. The cookie is the browser's; this only knows the name, and what the server says of it. */
import { AuthenticationError, type CurrentSession } from '@berth/client';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { readForPage } from './query-client.ts';

export type User = CurrentSession['user'];

const JUST_NOW_MS = 5_000;

/** What may be offered to somebody who is not signed in. */
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
      // Asked first, because a browser writes every 401 into its console, and to be signed out is no mistake. The start of a
      // page has asked a moment ago.
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

/** Whether somebody is signed in here; asked for only while that is not known. */
export const isSignedIn = async (client: QueryClient): Promise<boolean> =>
  Boolean(client.getQueryData(sessionQuery.queryKey)) || (await readForPage(client, signInOptionsQuery)).has_session;

/** Who is signed in; only on pages that are shown to somebody who is. */
export const useUser = (): User => {
  const { data } = useQuery(sessionQuery);
  return data ?? { name: '', email: '', is_operator: false };
};

/** Takes over after a sign-in: nothing that another account read stays. */
export const beginSession = async (client: QueryClient): Promise<void> => {
  client.clear();
  await readForPage(client, { ...sessionQuery, staleTime: 0 });
};

/** Forgets everything that was read. */
export const endSession = (client: QueryClient): void => {
  client.clear();
  client.setQueryData<User | null>(keys.session, null);
};
