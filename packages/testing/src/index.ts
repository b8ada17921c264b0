export {
  endProcesses,
  spawnProcess,
  waitFor,
  type ProcessEnd,
  type SpawnedProcess,
  type WaitOptions,
} from './processes.ts';
export { createTestDatabase, toDatabaseUrl, withClient, type TestDatabase } from './test-database.ts';
export {
  startTestServer,
  TEST_PASSWORD,
  type TestAnswer,
  type TestRequest,
  type TestServer,
  type TestServerOptions,
  type TestUser,
} from './test-server.ts';
