/** Whether the server is there, as every request and the stream of events notice it; all tabs of the browser share it. */

export interface Presence {
  /** When the server was first missed, Unix milliseconds; undefined while it is there. */
  awaySince: number | undefined;
}

type Listener = () => void;

/** Answers of something in front of the server, which says with them that it does not reach it. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);

let presence: Presence = { awaySince: undefined };
const listeners = new Set<Listener>();

const set = (awaySince: number | undefined): void => {
  if (awaySince === presence.awaySince) return;
  presence = { awaySince };
  for (const listener of listeners) listener();
};

/** The server was not reached at this moment. The first one counts until it is back. */
export const noteAway = (at = Date.now()): void => set(presence.awaySince ?? at);
export const noteHere = (): void => set(undefined);

export const noteAnswer = (status: number): void => (GATEWAY_STATUSES.has(status) ? noteAway() : noteHere());

export const getPresence = (): Presence => presence;

/** @returns ends it */
export const watchPresence = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
