/** The parts of the server that integration tests inspect. Those tests do not import apps themselves. */
export { toPasswordHash } from '../../apps/server/src/accounts/passwords.ts';
export { INDEXED } from '../../apps/server/src/db/connection.ts';
/** Test servers take no automatic screenshots; tests of all statements need the class. */
export { AutomaticScreenshots } from '../../apps/server/src/scheduler/automatic-screenshots.ts';
export { ValidationError } from '../../apps/server/src/errors.ts';
export { OPERATOR_LOCK, SCHEDULER_LOCK } from '../../apps/server/src/db/locks.ts';
export { listStatements, type Statement } from '../../apps/server/src/db/statement.ts';
/** A server's timing, to be passed with `config`; `toTimes` shortens all of it. */
export { toTimes, usualTimes } from '../../apps/server/src/times.ts';
export { Vault } from '../../apps/server/src/secrets/vault.ts';
/** A link that signs in without a password, as printed by the first start. */
export { createSignInCode } from '../../apps/server/src/tokens/sign-in-links.ts';
/** A well-formed secret that belongs to no user. */
export { createSecret as createUnknownSecret } from '../../apps/server/src/secrets/token-secret.ts';
/** What the API document says about an operation beyond its schemas. */
export { findExample as findApiExample } from '../../apps/server/src/api/docs/examples.ts';
