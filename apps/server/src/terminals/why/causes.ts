/**
 * What each status says by itself. The tables are complete by their types: a status, a problem with a login, a code of a
 * failure that is added to the contract does not compile without its answer.
 */
import {
  isNotRunning,
  LOGGED_OUT,
  REFUSED_FOR_NOW,
  TaskStatus,
  TaskType,
  TerminalStatus,
  toLoginProblem,
  type LoginProblem,
  type StepCode,
} from '@berth/contract';
import type { Cause } from './cause.ts';
import { taskNames, type TerminalFacts } from './facts.ts';

const LOG_IN = 'Log in again with login, password and trading server.';
const ASK_OWNER = 'The owner logs in again with login, password and trading server.';
const WAIT = 'Nothing to do: it goes on by itself.';

type Login = Omit<Cause, 'check' | 'answer' | 'detail'> & { answer: (facts: TerminalFacts) => string };

const loginCauses: Record<LoginProblem, Login> = {
  refused: {
    cause: 'login_refused',
    answer: ({ server_name, login }) => `${server_name} refuses the login ${login}.`,
    next: {
      owner:
        'Check login and password, then log in again. A refused login is not repeated, so that the broker does not lock the account.',
      operator:
        'The owner checks login and password, and logs in again. A refused login is not repeated, so that the broker does not lock the account.',
    },
  },
  password_expired: {
    cause: 'password_expired',
    answer: ({ server_name }) => `${server_name} wants the password to be changed first.`,
    next: {
      owner: "Change the password on the broker's site or in another terminal, then log in again with the new one.",
      operator: "The owner changes the password on the broker's site, then logs in again with the new one.",
    },
  },
  no_password: {
    cause: 'no_password',
    answer: () => 'The terminal has no password to log in with.',
    next: { owner: 'Log in again with the password.', operator: 'The owner logs in again with the password.' },
  },
  wiped_password: {
    cause: 'no_password',
    answer: () => 'The terminal deleted its saved password.',
    next: { owner: 'Log in again with the password.', operator: 'The owner logs in again with the password.' },
  },
  no_account: {
    cause: 'no_account',
    answer: () => 'The terminal has no account.',
    next: { owner: LOG_IN, operator: ASK_OWNER },
  },
  server_unknown: {
    cause: 'server_unknown',
    answer: ({ server_name }) => `The terminal does not know the trading server ${server_name}.`,
    next: {
      owner:
        'Check the name of the server. If it is right, add the server with its address, or upload a servers.dat; then log in again.',
      operator:
        "The owner corrects the server's name or adds its address. A base made by the broker's own installer knows its servers: `script/agent prepare-base` on the host.",
    },
  },
  other_account: {
    cause: 'other_account',
    answer: () => 'Another account is logged in on the terminal.',
    next: { owner: LOG_IN, operator: ASK_OWNER },
  },
  unclear: {
    cause: 'login_failed',
    answer: () => 'The login failed.',
    next: { owner: LOG_IN, operator: ASK_OWNER },
  },
};

const toLoginCause = (facts: TerminalFacts): Cause => {
  const { answer, ...login } = loginCauses[toLoginProblem(facts.status_reason)];
  return { ...login, check: 'login', answer: answer(facts), detail: facts.status_reason };
};

const toDisconnected = ({ status_reason: reason, server_name: server }: TerminalFacts): Cause => {
  if (isNotRunning(reason))
    return {
      check: 'box',
      cause: 'not_running',
      answer: 'The program of the terminal is not running. It is started again.',
      detail: reason,
      next: {
        owner: 'Wait a minute. If it does not come back, look into its journal, then restart it.',
        operator: 'If it does not come back, run `script/agent doctor` on the host, and look into its log.',
      },
    };
  if (reason?.includes(REFUSED_FOR_NOW))
    return {
      check: 'link',
      cause: 'broker_closed',
      answer: `${server} does not take logins at the moment.`,
      detail: reason,
      next: 'Nothing to do but wait: the broker may be closed. The terminal tries again by itself, without end.',
    };
  return {
    check: 'link',
    cause: 'no_connection',
    answer: `The terminal has no connection to ${server}.`,
    detail: reason,
    next: {
      owner: 'The terminal connects again by itself. If it does not, its journal may say why.',
      operator: "The terminal connects again by itself. If many of the host's do not, check its network.",
    },
  };
};

/** What to do after a failure, by its code. */
const afterFailure: Record<StepCode, Record<'owner' | 'operator', string>> = {
  E_AUTH: { owner: LOG_IN, operator: ASK_OWNER },
  E_SERVER_UNKNOWN: {
    owner: 'Check the name of the trading server, or add it with its address.',
    operator: "The owner corrects the server's name or adds its address.",
  },
  E_NO_CONNECTION: { owner: 'Try again later.', operator: 'Check the network of the host, then try again.' },
  E_TIMEOUT: { owner: 'Try again.', operator: 'Check the load of the host, then try again.' },
  E_DISK: {
    owner: 'Ask the operator of this service to free space on the host.',
    operator: 'Free space on the disk of the host: `script/agent doctor` shows it.',
  },
  E_MEMORY: {
    owner: 'Ask the operator of this service: the host lacks memory.',
    operator: 'Lower the capacity of the host, or give it more memory.',
  },
  E_NOT_RUNNING: { owner: 'Start the terminal, then try again.', operator: 'The owner starts the terminal.' },
  E_SYMBOL: { owner: 'Check the name of the symbol.', operator: 'The owner checks the name of the symbol.' },
  E_FILE: { owner: 'Check the file, then try again.', operator: 'The owner checks the file.' },
  E_UNSUPPORTED: {
    owner: 'Its host cannot do that: ask the operator of this service.',
    operator: 'Run `script/agent doctor` on the host: something that the task needs is missing.',
  },
  E_HOST_LOST: { owner: 'Try again.', operator: 'Look at the host: it was away meanwhile.' },
  E_INTERNAL: {
    owner: 'Try again, or ask the operator of this service.',
    operator: "Look into the host's log: `script/agent` wrote what went wrong.",
  },
};

const toNextAfter = (code: StepCode | null): Record<'owner' | 'operator', string> => afterFailure[code ?? 'E_INTERNAL'];

const toFailed = ({ status_reason, last }: TerminalFacts): Cause => {
  const next = toNextAfter(last?.code ?? null);
  return {
    check: 'journal',
    cause: 'installation_failed',
    answer: 'The installation failed.',
    detail: [status_reason ?? last?.message, last?.code && `(${last.code})`].filter(Boolean).join(' '),
    next: {
      owner: last?.code === 'E_DISK' ? next.owner : 'Delete the terminal and create it again.',
      operator: `${next.operator} Then the owner deletes the terminal and creates it again.`,
    },
  };
};

/** The last try to bring it back came to nothing. */
const toFailedStart = ({ last }: TerminalFacts): Cause | null => {
  if (last === null || last.type === TaskType.TERMINAL_STOP || last.type === TaskType.ACCOUNT_LOGOUT) return null;
  if (last.status !== TaskStatus.FAILED && last.status !== TaskStatus.TERMINATED) return null;
  return {
    check: 'journal',
    cause: 'task_failed',
    answer: `${taskNames[last.type]} failed.`,
    detail: [last.message, last.code && `(${last.code})`].filter(Boolean).join(' '),
    next: toNextAfter(last.code),
    since: last.finished_at,
  };
};

const toStoppedOnPurpose = ({ status_reason, has_password, last, is_drained, host }: TerminalFacts): Cause => {
  if (status_reason === LOGGED_OUT)
    return {
      check: 'login',
      cause: 'logged_out',
      answer: 'The terminal is logged out.',
      next: {
        owner: has_password ? 'Log in with the saved password.' : 'Log in with the password: none is saved.',
        operator: 'The owner logs in again.',
      },
    };
  if (is_drained && host?.drain_started_at)
    return {
      check: 'host',
      cause: 'stopped',
      answer: 'The terminal was stopped because its host is being drained.',
      next: {
        owner: 'Start it again once the host takes terminals again; the operator of this service knows when.',
        operator: `End the drain of ${host.name}, then the owner starts the terminal; or retire the host, so that it moves.`,
      },
    };
  const by = last?.actor === 'operator' ? ' by an operator' : '';
  return {
    check: 'task',
    cause: 'stopped',
    answer: `The terminal was stopped${by}.`,
    next: { owner: 'Start it.', operator: 'The owner starts it.' },
  };
};

const toStopped = (facts: TerminalFacts): Cause => toFailedStart(facts) ?? toStoppedOnPurpose(facts);

/** Without more about them, these only wait for their task. */
const toUninstalled = ({ host }: TerminalFacts): Cause => ({
  check: 'task',
  cause: 'installing',
  answer: host ? 'The terminal is being installed.' : 'The terminal waits for its installation.',
  next: WAIT,
});

const deleted: Cause = {
  check: 'registration',
  cause: 'deleted',
  answer: 'The terminal was deleted.',
  next: { owner: 'Create it again.', operator: 'The owner creates it again.' },
};

/** What a status says by itself; null: nothing is wrong. */
const ownCauses: Record<TerminalStatus, (facts: TerminalFacts) => Cause | null> = {
  [TerminalStatus.PENDING]: toUninstalled,
  [TerminalStatus.INSTALLING]: toUninstalled,
  [TerminalStatus.CONNECTING]: ({ server_name, login }) => ({
    check: 'login',
    cause: 'connecting',
    answer: `The terminal logs in to ${server_name} as ${login}.`,
    next: 'This takes a few seconds. If it does not end, the name of the trading server may be wrong.',
  }),
  [TerminalStatus.ACTIVE]: () => null,
  [TerminalStatus.DISCONNECTED]: toDisconnected,
  [TerminalStatus.STOPPED]: toStopped,
  [TerminalStatus.LOGIN_FAILED]: toLoginCause,
  [TerminalStatus.FAILED]: toFailed,
  [TerminalStatus.DESTROYING]: () => ({
    check: 'task',
    cause: 'deleting',
    answer: 'The terminal is being deleted.',
    next: 'Nothing to do: it vanishes once its host has removed it.',
  }),
  [TerminalStatus.DESTROYED]: () => deleted,
  [TerminalStatus.UNREACHABLE]: ({ host }) => ({
    check: 'host',
    cause: 'host_back',
    answer: host ? 'Its host is back, and is about to report.' : 'Its host went offline.',
    next: WAIT,
  }),
};

export const toOwnCause = (facts: TerminalFacts): Cause | null => ownCauses[facts.status](facts);
