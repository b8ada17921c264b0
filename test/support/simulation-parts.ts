/**
 * The parts of the programs that the simulation runs: their real decisions, without HTTP, disk and PostgreSQL. No test
 * runner.
 */
export type { AttemptKey, ServerCalls } from '../../apps/agent/src/server/server-calls.ts';
export { HostService, type HostServiceOptions } from '../../apps/agent/src/host/host-service.ts';
export {
  AttemptJournal,
  type AppendableFile,
  type DurableFiles,
} from '../../apps/agent/src/attempts/attempt-journal.ts';
export { OutcomeSeal } from '../../apps/agent/src/attempts/attempt-end.ts';
export type {
  AttemptContext,
  AttemptOutcome,
  Observation,
  PlatformRegistry,
  TerminalDriver,
} from '../../apps/agent/src/platforms/driver.ts';
export type { Answer as HttpAnswer } from '../../apps/agent/src/server/http-exchange.ts';
export { ServerConnection } from '../../apps/agent/src/server/server-connection.ts';
export { ServerError } from '../../apps/agent/src/server/server-error.ts';
export type { Call as HttpCall, Transport } from '../../apps/agent/src/server/server-transport.ts';
export { toProof } from './proofs.ts';
export type { Timing } from '@berth/kit';
export { PostgresAddress } from '../../apps/server/src/db/address.ts';
export {
  Database,
  DatabaseUnavailableError,
  type WritePipeline,
  type Queryable,
  type Statement,
  type Store,
} from '../../apps/server/src/db/database.ts';
export { listStatements } from '../../apps/server/src/db/statement.ts';
export { AgentCalls } from '../../apps/server/src/api/v1/agent-calls.ts';
export { LongPolls, type Claim, type WaitingClaim } from '../../apps/server/src/hosts/long-polls.ts';
export { findHosts, type CallingHost } from '../../apps/server/src/hosts/queries.ts';
export { AppError } from '../../apps/server/src/errors.ts';
export { SchedulerPulse } from '../../apps/server/src/scheduler/pulse.ts';
export { Scheduler } from '../../apps/server/src/scheduler/scheduler.ts';
export { Tidying } from '../../apps/server/src/scheduler/tidying.ts';
export { Vault } from '../../apps/server/src/secrets/vault.ts';
export { TaskClaims } from '../../apps/server/src/tasks/claims.ts';
export { TaskEnds } from '../../apps/server/src/tasks/ends.ts';
export { usualTimes } from '../../apps/server/src/times.ts';
export { TaskInbox } from '../../apps/server/src/tasks/inbox.ts';
export { cancelTask } from '../../apps/server/src/tasks/queries.ts';
export { destroyWithin } from '../../apps/server/src/deployment/destroy-terminal.ts';
export { reserveHostInTurn } from '../../apps/server/src/deployment/placement.ts';
export { insertTerminal } from '../../apps/server/src/terminals/insert.ts';
export { storePassword } from '../../apps/server/src/terminals/secrets.ts';
