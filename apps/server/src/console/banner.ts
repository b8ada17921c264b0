import type { ServerConfig } from '../config.ts';
import { toMailFolder } from '../mail/mailer.ts';
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

const toAccountLines = ({ isRegistrationOpen, terminalLimits }: ServerConfig): string[] => {
  if (!isRegistrationOpen) return ['  Accounts   registration is closed'];
  const lines = ['  Accounts   registration is open: everyone who reaches this address can make an account'];
  const note = '  Limits     none: one account can take every slot; BERTH_TERMINAL_LIMITS limits the terminals of each';
  return terminalLimits.size === 0 ? [...lines, note] : lines;
};

const toMailLines = (config: ServerConfig): string[] =>
  config.mail.smtpUrl === undefined
    ? [`  Mails      are not sent, but written to ${toMailFolder(config)}; BERTH_SMTP_URL names a mail server`]
    : [];

/** Only where it is not in the data directory, and somebody may look for it. */
const toDatabaseLines = (database: RunningServer['database']): string[] =>
  database?.reason === undefined ? [] : [`  Database   ${database.home}: ${database.reason}`];

/**
 * What a person needs after a start; at the first one, the notice with the operator's password is printed before it.
 */
export const toBanner = ({ url, operator, database }: Omit<RunningServer, 'stop'>, config: ServerConfig): string => {
  const login = JSON.stringify({ email: operator.email, password: operator.password });
  const [hint, command] =
    operator.password === undefined
      ? ['Try it:', `curl -s ${url}/readyz`]
      : ['Log in:', `curl -s ${url}/v1/auth/login -H 'Content-Type: application/json' -d '${login}'`];
  const known = [
    `  Operator   ${operator.email}`,
    '  Password   printed at the first start; lost it? script/operator-password',
  ];
  return [
    '',
    `  Berth is ready at ${url}`,
    '',
    ...(operator.password === undefined ? known : []),
    ...(operator.signInCode === undefined ? [] : toSignInLines(config.publicUrl ?? url, operator.signInCode)),
    `  Pages      ${url}/docs`,
    ...toAccountLines(config),
    ...toMailLines(config),
    ...toDatabaseLines(database),
    '',
    `  ${hint}`,
    `  ${command}`,
    '',
    '',
  ].join('\n');
};
