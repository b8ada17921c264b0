/** The dashboard's client. It authenticates by the cookie that no script can read; nothing of it is stored here. */
import { Berth } from '@berth/client';
import { basePath } from './address.ts';
import { passGate } from './live/gate.ts';
import { noteAnswer, noteAway } from './presence.ts';
import { noteChange } from './request-ids.ts';
import { noteServerDate, serverNow } from './server-clock.ts';

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

const baseUrl = location.origin + basePath;

const STREAM = `${baseUrl}/v1/my/events`;

/** Reads: what a page shows, and what events report. */
const isReading = (url: string, method = 'GET'): boolean =>
  method === 'GET' && url.startsWith(`${baseUrl}/v1/`) && !url.startsWith(`${baseUrl}/v1/auth/`) && url !== STREAM;

/** `fetch`, which also tracks whether the server is reachable, its clock, and its rate limits. */
const attentiveFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const isRead = isReading(url, init.method);
  if (isRead) await passGate();
  const [sentAt, sentAtServer] = [Date.now(), serverNow()];
  try {
    const response = await fetch(url, init);
    noteServerDate(response.headers.get('date'), sentAt);
    if (init.method !== undefined && init.method !== 'GET') noteChange(response.headers.get('x-request-id'));
    // A limit of streams, or of changes, is no reason to delay reads.
    const isOther = response.status === 429 && !isRead && !url.startsWith(`${baseUrl}/v1/auth/session`);
    if (!isOther) noteAnswer(response, sentAtServer);
    return response;
  } catch (error) {
    if (!isAbort(error)) noteAway();
    throw error;
  }
};

/** A call gives up after this long: then the reason is shown, instead of a spinner that never stops. */
const TIMEOUT_MS = 20_000;

export const berth = new Berth({
  baseUrl,
  session: true,
  timeoutMs: TIMEOUT_MS,
  // The client calls it with a URL and options.
  fetch: (input, init) => attentiveFetch(input as string, init ?? {}),
});

/** The name under which a file is sent: the service accepts a path, and keeps its last segment. */
export const toFileName = ({ name }: File): string => name.replaceAll(/[/\\]/g, '_');
