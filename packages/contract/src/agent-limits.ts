/** What an agent needs at run time of the agent protocol, apart from its schemas, so that an agent carries no schema library. */

/**
 * A claim waits at most this long for work before it answers empty. Ten thousand idle hosts ask 400 times per second so; were
 * the server frozen that holds a claim, its host would be idle for as long.
 */
export const MAX_CLAIM_WAIT_MS = 25_000;
export const HEARTBEAT_MS = 5_000;
/** A host is lost after this much silence. */
export const HOST_LOST_MS = 20_000;
export const MAX_REPORT_EVENTS = 500;
/** Of how many attempts one call may tell. */
export const MAX_ATTEMPTS_IN_HAND = 10_000;

export { MAX_FILE_BYTES } from './limits.ts';

/** `accepted` and `duplicate` both mean: done, forget it. `stale` means: refused, forget it too. */
export const eventVerdicts = ['accepted', 'duplicate', 'stale'] as const;
export type EventVerdict = (typeof eventVerdicts)[number];
