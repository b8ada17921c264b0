/** The one client of the dashboard. It is signed in by the cookie that no script reads; nothing of it is stored here. */
import { Berth } from '@berth/client';
import { basePath } from './address.ts';
import { noteAnswer, noteAway } from './presence.ts';
import { noteChange } from './request-ids.ts';

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** `fetch`, which also notices whether the server is there, and by which id it knows a change. */
const attentiveFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    noteAnswer(response.status);
    if (init?.method !== undefined && init.method !== 'GET') noteChange(response.headers.get('x-request-id'));
    return response;
  } catch (error) {
    if (!isAbort(error)) noteAway();
    throw error;
  }
};

/** A call gives up after this long: what is shown by then is the reason, not a sign that turns for ever. */
const TIMEOUT_MS = 20_000;

export const berth = new Berth({
  baseUrl: location.origin + basePath,
  session: true,
  timeoutMs: TIMEOUT_MS,
  fetch: attentiveFetch,
});
