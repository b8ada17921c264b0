/** The parts of the server that tests of the whole inspect. Those tests import no app themselves. */
export { toPasswordHash } from '../../../apps/server/src/accounts/password-hash.ts';
export { INDEXED } from '../../../apps/server/src/db/connection.ts';
/** Test servers take no automatic screenshots; that they could is what tests of all statements need. */
export { AutomaticScreenshots } from '../../../apps/server/src/scheduler/automatic-screenshots.ts';
export { ValidationError } from '../../../apps/server/src/errors.ts';
export { OPERATOR_LOCK, SCHEDULER_LOCK } from '../../../apps/server/src/db/locks.ts';
export { listStatements, type Statement } from '../../../apps/server/src/db/statement.ts';
/** What a server waits for, to be given to one with `config`; `toTimes` makes all of them shorter. */
export { toTimes, usualTimes } from '../../../apps/server/src/times.ts';
export { Vault } from '../../../apps/server/src/secrets/vault.ts';
/** A link that signs in without a password, as the first start prints it. */
export { createSignInCode } from '../../../apps/server/src/tokens/sign-in-links.ts';
/** A well-formed secret that was given to no user. */
export { createSecret as createUnknownSecret } from '../../../apps/server/src/secrets/token-secret.ts';
/** What the document of the API says of an operation beyond its schemas. */
export { findExample as findApiExample } from '../../../apps/server/src/api/docs/examples.ts';
