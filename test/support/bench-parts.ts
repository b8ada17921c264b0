/**
 * The parts of the programs that benchmarks use: databases as the server starts them, parts to time without HTTP. No
 * test runner.
 */
export { AttemptJournal } from '../../apps/agent/src/attempts/attempt-journal.ts';
export { toPasswordHash } from '../../apps/server/src/accounts/passwords.ts';
export { readConfig } from '../../apps/server/src/config.ts';
export { startEmbeddedPostgres, type EmbeddedPostgres } from '@berth/postgres';
export { migrate } from '../../apps/server/src/db/migrate.ts';
export { PostgresAddress } from '../../apps/server/src/db/address.ts';
export { createServices, type Services } from '../../apps/server/src/services.ts';
export type { CallingHost } from '../../apps/server/src/hosts/queries.ts';
export { AgentCalls } from '../../apps/server/src/api/v1/agent-calls.ts';
export { createSecret, toSecretHash } from '../../apps/server/src/secrets/token-secret.ts';
export { getBrowserOptions } from './browser.ts';
export { startAttack, type AttackOptions } from './attacks.ts';
export { SandboxPhone } from './sandbox-phone.ts';
export { spawnProcess, endProcesses, type SpawnedProcess } from './processes.ts';
export { waitFor } from './wait-for.ts';
export { removeData } from './data-dir.ts';
export { listChildren, listStackProcesses } from './stack-processes.ts';
