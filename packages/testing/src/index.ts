export {
  endProcesses,
  spawnProcess,
  waitFor,
  type ProcessEnd,
  type SpawnedProcess,
  type WaitOptions,
} from './processes.ts';
export { createTestDatabase, toDatabaseUrl, withClient, type TestDatabase } from './test-database.ts';
