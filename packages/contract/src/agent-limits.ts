/**
 * Constants of the agent protocol that an agent needs at run time, without its schemas, so that an agent does not load
 * a schema library.
 */

/**
 * A claim waits at most this long for work before it is answered empty. Ten thousand idle hosts then ask 400 times per
 * second; if the server that holds a claim freezes, its host is idle for as long.
 */
export const MAX_CLAIM_WAIT_MS = 25_000;
export const HEARTBEAT_MS = 5_000;
/** A host is lost after this much silence. */
export const HOST_LOST_MS = 20_000;
export const MAX_REPORT_EVENTS = 500;
/** The most bytes of a call that reports everything on a host. */
export const MAX_HOST_CALL_BYTES = 1024 * 1024;
/** How many attempts one call may list. */
export const MAX_ATTEMPTS_IN_HAND = 10_000;
/** How many terminals that left a host one heartbeat names. */
export const MAX_LEFT_TERMINALS = 100;

export { MAX_FILE_BYTES } from './limits.ts';

/** `accepted` and `duplicate` both mean: done, forget it. `stale` means: refused, forget it too. */
export const eventVerdicts = ['accepted', 'duplicate', 'stale'] as const;
export type EventVerdict = (typeof eventVerdicts)[number];
