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
  /** Since when the server has not answered; undefined while it does. */
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
let aliveAt = serverNow();
let silence: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<Listener>();

const set = (change: Partial<Presence>): void => {
  const next = { ...presence, ...change };
  if (Object.entries(next).every(([name, value]) => presence[name as keyof Presence] === value)) return;
  presence = next;
  for (const listener of listeners) listener();
};

/** The server could not be reached. The first one counts until it is back. */
export const noteAway = (since = serverNow()): void => set({ awaySince: presence.awaySince ?? since });

/** The stream of events broke: changes are no longer reported. */
export const noteLost = (since = aliveAt): void => {
  clearTimeout(silence);
  set({ link: 'lost', lostSince: presence.lostSince ?? since });
};

/** The stream sent something; if nothing more arrives for this long it is lost, and the server is unreachable. */
export const noteAlive = (silenceMs: number): void => {
  aliveAt = serverNow();
  clearTimeout(silence);
  silence = setTimeout(() => [noteLost(), noteAway(aliveAt)], silenceMs);
  set({ link: 'live', lostSince: undefined, awaySince: undefined });
};

/** Nobody listens any more. */
export const notePause = (): void => {
  clearTimeout(silence);
  set({ link: 'connecting', lostSince: undefined, awaySince: undefined, limitedUntil: undefined });
};

/** @param sentAt when the request was sent, by the server's clock */
export const noteAnswer = ({ status, headers }: Response, sentAt: number): void => {
  if (GATEWAY_STATUSES.has(status)) return noteAway();
  const { limitedUntil } = presence;
  if (status === TOO_MANY) {
    const until = serverNow() + 1_000 * (Number(headers.get('retry-after')) || USUAL_WAIT_S);
    set({ awaySince: undefined, limitedUntil: Math.max(until, limitedUntil ?? 0) });
  } else if (limitedUntil !== undefined && status === 200 && sentAt >= limitedUntil - 1_000) {
    set({ awaySince: undefined, limitedUntil: undefined });
  } else set({ awaySince: undefined });
};

export const getPresence = (): Presence => presence;

/** @returns a function that stops watching */
export const watchPresence = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePresence = () => useSyncExternalStore(watchPresence, getPresence);
