import type { ServerConfig } from '../config.ts';
import type { RunningServer } from '../server.ts';
import { SIGN_IN_LINK_MINUTES } from '../tokens/sign-in-links.ts';

/** The operator's password, when it was just created. */
export const toPasswordNotice = ({ email, password }: { email: string; password: string }): string =>
  [
    '',
    `  Operator   ${email}`,
    `  Password   ${password}`,
    '',
    '  Keep it: it is shown this once. script/operator-password makes a new one.',
    '',
  ].join('\n');

/** In the fragment (`#`), so that no proxy's log contains it. */
const toSignInLines = (url: string, code: string): string[] => [
  `  Sign in    ${url}/#sign-in=${code}`,
  `             works once, within ${SIGN_IN_LINK_MINUTES} minutes`,
];

/**
 * What a person needs after a start; at the first one, the notice with the operator's password is printed before it.
 */
export const toBanner = ({ url, operator }: Pick<RunningServer, 'url' | 'operator'>, config: ServerConfig): string => {
  const login = JSON.stringify({ email: operator.email, password: operator.password });
  const [hint, command] =
    operator.password === undefined
      ? ['Try it:', `curl -s ${url}/readyz`]
      : ['Log in:', `curl -s ${url}/v1/auth/login -H 'Content-Type: application/json' -d '${login}'`];
  const known = [
    `  Operator   ${operator.email}`,
    '  Password   printed at the first start; lost it? script/operator-password',
  ];
  const registration = config.isRegistrationOpen
    ? 'open: everyone who reaches this address can make an account'
    : 'closed';
  return [
    '',
    `  Berth is ready at ${url}`,
    '',
    ...(operator.password === undefined ? known : []),
    ...(operator.signInCode === undefined ? [] : toSignInLines(config.publicUrl ?? url, operator.signInCode)),
    `  Pages      ${url}/docs`,
    `  Accounts   registration is ${registration}`,
    '',
    `  ${hint}`,
    `  ${command}`,
    '',
    '',
  ].join('\n');
};
