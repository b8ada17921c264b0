/**
 * Whether what is shown is true at this moment, and why not: the stream of events says that it lives every few seconds, and
 * every request notices whether the server is there. All tabs of the browser share it.
 */
import { serverNow } from './server-clock.ts';

export interface Presence {
  /** Only `live` means that every change is reported as it happens. */
  link: 'connecting' | 'live' | 'lost';
  /** When the stream of events was heard last, where it is lost; by the server's clock. */
  lostSince: number | undefined;
  /** Since when the server does not answer; undefined while it is there. */
  awaySince: number | undefined;
  /** Until when the server takes no requests of this account, because there were too many. */
  limitedUntil: number | undefined;
}

type Listener = () => void;

/** Answers of something in front of the server, which says with them that it does not reach it. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);
const TOO_MANY = 429;
const USUAL_WAIT_S = 5;

let presence: Presence = { link: 'connecting', lostSince: undefined, awaySince: undefined, limitedUntil: undefined };
let heardAt = serverNow();
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
export const noteLost = (since = heardAt): void => {
  clearTimeout(silence);
  set({ link: 'lost', lostSince: presence.lostSince ?? since });
};

/** The stream was heard; who hears nothing more for so long has lost it, and the server is away. */
export const noteHeard = (silenceMs: number): void => {
  heardAt = serverNow();
  clearTimeout(silence);
  silence = setTimeout(() => [noteLost(), noteAway(heardAt)], silenceMs);
  set({ link: 'live', lostSince: undefined, awaySince: undefined });
};

/** Nobody listens any more. */
export const notePause = (): void => {
  clearTimeout(silence);
  set({ link: 'connecting', lostSince: undefined, awaySince: undefined, limitedUntil: undefined });
};

/** @param sentAt when it was asked for, by the server's clock */
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

/** @returns ends it */
export const watchPresence = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
