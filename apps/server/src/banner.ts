import { join } from 'node:path';
import type { ServerConfig } from './config.ts';
import type { RunningServer } from './server.ts';

/** What a person needs after a start; the operator's password only when it was just made. */
export const toBanner = ({ url, operator }: Pick<RunningServer, 'url' | 'operator'>, config: ServerConfig): string => {
  const login = JSON.stringify({ email: operator.email, password: operator.password });
  const [hint, command] =
    operator.password === undefined
      ? ['Try it:', `curl -s ${url}/readyz`]
      : ['Log in:', `curl -s ${url}/v1/auth/login -H 'Content-Type: application/json' -d '${login}'`];
  const password =
    operator.password ??
    `printed at the first start; lost it? POST /v1/auth/forgot-password${
      config.mail.smtpUrl === undefined ? ` (mails are written to ${join(config.dataDir, 'mail')})` : ''
    }`;
  return [
    '',
    `  Berth is ready at ${url}`,
    '',
    `  Operator   ${operator.email}`,
    `  Password   ${password}`,
    `  Interface  ${url}/docs`,
    '',
    `  ${hint}`,
    `  ${command}`,
    '',
    '',
  ].join('\n');
};
