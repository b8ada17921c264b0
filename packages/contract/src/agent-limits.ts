/** Timing and sizes of the agent protocol. Apart from its schemas, so that an agent carries no schema library. */

/** A claim waits at most this long for work before it answers empty. */
export const MAX_CLAIM_WAIT_MS = 25_000;
export const HEARTBEAT_MS = 5_000;
/** A host is lost after this much silence. */
export const HOST_LOST_MS = 20_000;
export const MAX_REPORT_EVENTS = 500;
