/**
 * Whether what is shown is current, and why not: the event stream sends a sign of life every few seconds, and every
 * request reveals whether the server is reachable. Shared by all tabs of the browser.
 */
import { useSyncExternalStore } from 'react';
import { serverNow } from './server-clock.ts';

export interface Presence {
  /** Only `live` means that every change is reported as it happens. */
  link: 'connecting' | 'live' | 'lost';
  /** When the event stream last sent something, if it is lost; by the server's clock. */
  lostSince: number | undefined;
  /** When the server was last heard, if a request could not reach it since; undefined while it answers. */
  awaySince: number | undefined;
  /** Until when the server rejects requests of this account, because there were too many. */
  limitedUntil: number | undefined;
}

type Listener = () => void;

/** Answers of a proxy in front of the server that cannot reach it. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);
const TOO_MANY = 429;
const USUAL_WAIT_S = 5;

let presence: Presence = { link: 'connecting', lostSince: undefined, awaySince: undefined, limitedUntil: undefined };
/** When the stream, or anything, was last heard. */
let aliveAt = serverNow();
let heardAt = serverNow();
let isFollowed = false;
let silence: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<Listener>();

const set = (change: Partial<Presence>): void => {
  const next = { ...presence, ...change };
  if (Object.entries(next).every(([name, value]) => presence[name as keyof Presence] === value)) return;
  presence = next;
  for (const listener of listeners) listener();
};

/** Somebody follows the stream from now on; until then nothing ends that the server is away, so nothing begins it. */
export const noteFollowed = (): void => {
  isFollowed = true;
};

/** The server could not be reached. Only an answer to a request ends that: a stream may still be open. */
export const noteAway = (since = heardAt): void => {
  if (isFollowed) set({ awaySince: presence.awaySince ?? since });
};

/** The stream of events broke: changes are no longer reported. */
export const noteLost = (since = aliveAt): void => {
  clearTimeout(silence);
  set({ link: 'lost', lostSince: presence.lostSince ?? since });
};

/** The stream sent something; if nothing more arrives for this long it is lost, and the server is unreachable. */
export const noteAlive = (silenceMs: number): void => {
  aliveAt = heardAt = serverNow();
  clearTimeout(silence);
  silence = setTimeout(() => [noteLost(), noteAway(aliveAt)], silenceMs);
  set({ link: 'live', lostSince: undefined });
};

/** Nobody listens any more. */
export const notePause = (): void => {
  isFollowed = false;
  clearTimeout(silence);
  set({ link: 'connecting', lostSince: undefined, awaySince: undefined, limitedUntil: undefined });
};

/** @param sentAt when the request was sent, by the server's clock */
export const noteAnswer = ({ status, headers }: Response, sentAt: number): void => {
  if (GATEWAY_STATUSES.has(status)) return noteAway();
  heardAt = serverNow();
  const { limitedUntil } = presence;
  if (status === TOO_MANY) {
    const until = serverNow() + 1_000 * (Number(headers.get('retry-after')) || USUAL_WAIT_S);
    set({ awaySince: undefined, limitedUntil: Math.max(until, limitedUntil ?? 0) });
  } else if (limitedUntil !== undefined && status === 200 && sentAt >= limitedUntil - 1_000) {
    set({ awaySince: undefined, limitedUntil: undefined });
  } else set({ awaySince: undefined });
};

export const getPresence = (): Presence => presence;

/** No contact: what is shown is from before, and nothing can be done until the server answers again. */
export const isAway = (): boolean => presence.awaySince !== undefined;

/** @returns a function that stops watching */
export const watchPresence = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePresence = () => useSyncExternalStore(watchPresence, getPresence);

export const useIsAway = (): boolean => useSyncExternalStore(watchPresence, isAway);
