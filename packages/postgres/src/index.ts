/** The PostgreSQL that comes along: its programs, one cluster per data directory, and the process that runs it. */
export {
  discardEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.ts';
export { listDatabases, type DatabaseFolder } from './databases.ts';
export { ensureDataDir } from './data-dir.ts';
export { lockDataDir } from './lock.ts';
export { findDatabaseFolder, findRunningPostgres } from './running.ts';
