/** What the operator of a test's stack does. */
import type { TestClient } from './test-client.ts';
import type { TestStack } from './test-stack.ts';

/**
 * @param client where to log in, when that is not the stack's own address
 * @returns a token of the operator, whose password the first start printed
 */
export const logInOperator = async (stack: TestStack, client: TestClient = stack): Promise<string> => {
  const [, password] = await stack.server.waitForLine(/Password +(\S{12,})/);
  const body = { email: 'operator@berth.local', password };
  const answer = await client.request('POST', '/v1/auth/login', { body });
  return (answer.body as { data: { token: string } }).data.token;
};

/** @returns a token with which one host can join */
export const createJoinToken = async (
  client: TestClient,
  token: string,
  order: { region: number; name: string; capacity?: number },
): Promise<string> => {
  const answer = await client.request('POST', '/v1/operator/join-tokens', { token, body: order });
  return (answer.body as { data: { join_token: string } }).data.join_token;
};
