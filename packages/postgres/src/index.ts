/** The PostgreSQL that comes along: its programs, one cluster per data directory, and the process that runs it. */
export {
  discardEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.ts';
export { lockDataDir } from './lock.ts';
export { findRunningPostgres } from './running.ts';
