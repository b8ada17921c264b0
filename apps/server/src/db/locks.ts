/**
 * Every advisory lock of the service, in the order in which one program may take them: a program that holds one takes
 * only those below it. The numbers are arbitrary, and the same in every server. A number that was once used keeps its
 * meaning, because old servers and new ones work side by side during an upgrade.
 *
 * Locks of two numbers are another kind in PostgreSQL and never meet these: `api/http/idempotency.ts` has one for each key.
 */

/** Held while the schema is brought up to date, or made by a restoration. */
export const MIGRATION_LOCK = 4_826_190_355;
/** Held while a server compares its keys with those of the database. */
export const SECRET_KEYS_LOCK = 4_826_190_357;
/** Held while a server looks for the operator and creates it. */
export const OPERATOR_LOCK = 4_826_190_358;
/** The server that holds it does this tick of the scheduler. No server waits for it. */
export const SCHEDULER_LOCK = 4_826_190_356;
