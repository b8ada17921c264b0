export {
  endProcesses,
  spawnProcess,
  waitFor,
  type ProcessEnd,
  type SpawnedProcess,
  type WaitOptions,
} from './processes.ts';
/** A well-formed secret that nobody was given. */
export { createSecret as createUnknownSecret } from '../../../apps/server/src/tokens/token-secret.ts';
export { createTestDatabase, toDatabaseUrl, withClient, type TestDatabase } from './test-database.ts';
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';
export {
  createTestClient,
  TEST_PASSWORD,
  type TestAnswer,
  type TestClient,
  type TestRequest,
  type TestUser,
} from './test-client.ts';
export { startTestStack, type TestStack, type TestStackOptions } from './test-stack.ts';
export { findPostmaster, listStackProcesses, type StackProcess, type StackRole } from './stack-processes.ts';
export { startTestAgent, startTestTradingServer, type TestAgentOptions } from './test-agent.ts';
