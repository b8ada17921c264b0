/**
 * Every advisory lock of the service, in the order in which a program may take them: one that holds a lock takes only
 * those below it. The numbers are arbitrary, and the same on every server. A number keeps its meaning for ever, because
 * old and new servers run side by side during an upgrade.
 *
 * Locks with two numbers are separate in PostgreSQL and never collide with these: `api/http/idempotency.ts` has one for
 * each key.
 */

/** Held while the schema is migrated, or created by a restore. */
export const MIGRATION_LOCK = 4_826_190_355;
/** Held while a server compares its keys with those of the database. */
export const SECRET_KEYS_LOCK = 4_826_190_357;
/** Held while a server looks for the operator and creates it. */
export const OPERATOR_LOCK = 4_826_190_358;
/** The server that holds it runs this tick of the scheduler. No server waits for it. */
export const SCHEDULER_LOCK = 4_826_190_356;
/** The server that holds it tidies up beside the ticks. No server waits for it. */
export const TIDYING_LOCK = 4_826_190_359;
/** Held while a drain of a host begins, asks terminals to stop, or ends. */
export const DRAIN_LOCK = 4_826_190_361;
