export { getBrowserOptions, type BrowserOptions } from './browser.ts';
export { startAttack, type Attack, type AttackOptions } from './attacks.ts';
export { endProcesses, spawnProcess, type SpawnedProcess } from './processes.ts';
export { createTestDatabase, toDatabaseUrl, withClient, type TestDatabase } from './test-database.ts';
export { needsScreenshot, toScreenshotFacts, toProof } from './proofs.ts';
export { toErrorBody } from './error-body.ts';
export { farAhead } from './far-ahead.ts';
export { findFreePort } from './free-port.ts';
export { EventReader, type LiveEvent } from './event-reader.ts';
export { startReplicatedPostgres, type ReplicatedPostgres } from './replicated-postgres.ts';
export { TestHost, toAccountState, toChart, toDeal, toSample, toStep } from './test-host.ts';
export {
  isDeadlock,
  LOOPBACK,
  patientTimes,
  startTestServer,
  useTestServer,
  useTwoServers,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts';
export {
  createTestClient,
  TEST_PASSWORD,
  type TestAccount,
  type TestAnswer,
  type TestClient,
  type TestRequest,
  type TestUser,
} from './test-client.ts';
export { logInOperator } from './test-operator.ts';
export { SandboxPhone, type PhoneAccount, type PhoneRequest } from './sandbox-phone.ts';
export { startTestStack, useTestStack, type TestStack, type TestStackOptions } from './test-stack.ts';
export {
  findPostmaster,
  listChildren,
  listStackProcesses,
  type StackProcess,
  type StackRole,
} from './stack-processes.ts';
export { startTestAgent, startTestTradingServer, type TestAgentOptions } from './test-agent.ts';
export {
  AutomaticScreenshots,
  createSignInCode,
  createUnknownSecret,
  findApiExample,
  INDEXED,
  listStatements,
  OPERATOR_LOCK,
  SCHEDULER_LOCK,
  toPasswordHash,
  toTimes,
  usualTimes,
  ValidationError,
  Vault,
  type Statement,
} from './server-parts.ts';
export { insertTerminals } from './terminal-rows.ts';
export { waitFor, waitForAll, type WaitOptions } from './wait-for.ts';
export {
  startWebhookReceiver,
  useWebhookReceiver,
  type Received,
  type ReceiverAnswer,
  type WebhookReceiver,
} from './webhook-receiver.ts';
