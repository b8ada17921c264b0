import { Berth } from '@berth/client';
import type { TestAccount } from './test-client.ts';
import type { TestStack } from './test-stack.ts';

/**
 * Logs the operator in with the password that the first start printed.
 * @param baseUrl where to log in, when that is not the server's own address
 */
export const logInOperator = async (
  { server, url }: Pick<TestStack, 'server' | 'url'>,
  baseUrl = url,
): Promise<Omit<TestAccount, 'user'>> => {
  const [, password = ''] = await server.waitForLine(/Password +(\S{12,})/);
  const { token = '' } = await new Berth({ baseUrl }).auth.login({ email: 'operator@berth.local', password });
  return { token, berth: new Berth({ baseUrl, token }) };
};
