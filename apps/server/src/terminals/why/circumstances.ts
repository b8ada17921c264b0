/** What keeps a terminal from running, or from being repaired, whatever its status says. */
import {
  AccountStatus,
  HostStatus,
  LOGGED_OUT,
  MAX_ATTEMPTS,
  taskCatalogue,
  TaskStatus,
  TaskType,
  TerminalStatus,
} from '@berth/contract';
import { MOVING_REASON } from '../moves.ts';
import type { Cause } from './cause.ts';
import { taskNames, type TerminalFacts } from './facts.ts';

type Look = (facts: TerminalFacts) => Cause | null;

const { PENDING, INSTALLING, ACTIVE, STOPPED, LOGIN_FAILED, FAILED, DESTROYING, DESTROYED } = TerminalStatus;
/** They wait for somebody to do something. */
const WAITING_FOR_OWNER: readonly TerminalStatus[] = [STOPPED, LOGIN_FAILED, FAILED];
const WAIT = 'Nothing to do: it goes on by itself.';

/** An account that may do nothing keeps what waits for its owner as it is. */
const accounts: Record<AccountStatus, Look> = {
  [AccountStatus.ACTIVE]: () => null,
  [AccountStatus.SUSPENDED]: ({ user, status }) => ({
    check: 'registration',
    cause: 'account_suspended',
    answer:
      user.suspended_terminals !== 'stop'
        ? 'The account is suspended.'
        : status === PENDING
          ? 'The account is suspended, so the terminal is not installed.'
          : 'The account is suspended, and its terminals were stopped.',
    next: {
      owner: 'Ask the operator of this service.',
      operator:
        status === PENDING
          ? 'End the suspension on the page Users; then the terminal is installed as soon as a slot is free.'
          : 'End the suspension on the page Users; then the owner can start the terminal or log in.',
    },
    since: user.suspended_at,
  }),
  [AccountStatus.CLOSED]: ({ user }) => ({
    check: 'registration',
    cause: 'account_closed',
    answer: 'The account is closed.',
    next: {
      owner: 'Ask the operator of this service.',
      operator: 'Nothing to do, unless the account is opened again.',
    },
    since: user.closed_at,
  }),
};

/** Where terminals were stopped none gets a slot either (`deployment/waiting.ts`). */
const isHeld: (facts: TerminalFacts) => boolean = ({ status, host, user }) =>
  WAITING_FOR_OWNER.includes(status) || (status === PENDING && host === null && user.suspended_terminals === 'stop');

const lookAtAccount: Look = (facts) => (isHeld(facts) ? accounts[facts.user.status](facts) : null);

/** Of a terminal that waits for a slot, or has left one host and not come to another one yet. */
const lookAtQueue: Look = ({ status, status_reason: reason, host, region, platform, queue_place: place }) => {
  if (status !== PENDING || host) return null;
  if (reason === MOVING_REASON)
    return { check: 'place', cause: 'moving', answer: reason, next: { owner: WAIT, operator: WAIT } };
  const elsewhere = 'Wait, or delete the terminal and create it in another region.';
  if (region.hosts === 0)
    return {
      check: 'region',
      cause: 'no_host',
      answer: `No host in ${region.name} runs ${platform} terminals.`,
      next: {
        owner: elsewhere,
        operator: `Add a host to ${region.name}: make a join command on the page Hosts, and run \`script/agent\` there.`,
      },
    };
  if (region.online === 0)
    return {
      check: 'region',
      cause: 'hosts_offline',
      answer: `No host in ${region.name} that runs ${platform} terminals is online.`,
      next: { owner: elsewhere, operator: 'Start `script/agent` on one of its hosts, or add a host.' },
    };
  const before = (place ?? 1) - 1;
  const others = before === 1 ? '1 terminal goes' : `${before} terminals go`;
  const line = before === 0 ? 'It is next.' : `${others} before it.`;
  if (region.free > before)
    return { check: 'place', cause: 'no_slot', answer: `A slot in ${region.name} is free. ${line}`, next: WAIT };
  return {
    check: 'place',
    cause: 'no_slot',
    answer: `No slot for ${platform} terminals is free in ${region.name}. ${line}`,
    next: {
      owner: `It is installed as soon as a slot is free. ${elsewhere}`,
      operator:
        region.cordoned === null
          ? `Add a host to ${region.name}, or raise the capacity of one on the page Hosts.`
          : `The host ${region.cordoned} has room, but takes no new terminals: end its drain or uncordon it on the page Hosts, or add another one.`,
    },
  };
};

const hosts: Record<HostStatus, (host: NonNullable<TerminalFacts['host']>) => Cause | null> = {
  [HostStatus.ONLINE]: () => null,
  [HostStatus.ENROLLED]: ({ name }) => ({
    check: 'host',
    cause: 'host_never_connected',
    answer: `The host ${name} has never connected.`,
    next: { owner: 'Ask the operator of this service.', operator: `Start \`script/agent\` on ${name}.` },
  }),
  [HostStatus.LOST]: ({ name, last_seen_at }) => ({
    check: 'host',
    cause: 'host_offline',
    answer: `The host ${name} is offline. The terminal may still be running and trading there.`,
    next: {
      owner: 'Wait: the terminal comes back with its host. It is not started elsewhere, where it would trade twice.',
      operator: `Check the machine ${name}, and start \`script/agent\` there. If it is gone for good, retire the host: its terminals are installed elsewhere.`,
    },
    since: last_seen_at,
  }),
  [HostStatus.RETIRED]: ({ name }) => ({
    check: 'host',
    cause: 'host_retired',
    answer: `The host ${name} was retired.`,
    next: 'Nothing to do: the terminal gets another host by itself.',
  }),
};

const lookAtHost: Look = ({ status, host }) =>
  host === null || status === DESTROYED || status === FAILED ? null : hosts[host.status](host);

/** What is being done about it. */
const lookAtTask: Look = ({ status, task }) => {
  if (task === null || status === ACTIVE || status === DESTROYED) return null;
  const { type, attempts } = task;
  const isOnHost = task.status === TaskStatus.DELIVERED || task.status === TaskStatus.RUNNING;
  const attempt = attempts > 1 ? `, attempt ${attempts} of ${MAX_ATTEMPTS}` : '';
  const minutes = Math.round(taskCatalogue[type].runningDeadlineMs / 60_000);
  const isInstallation = type === TaskType.TERMINAL_INSTALL && (status === PENDING || status === INSTALLING);
  return {
    check: 'task',
    cause: isInstallation ? 'installing' : status === DESTROYING ? 'deleting' : 'task_open',
    answer: isOnHost
      ? `${taskNames[type]} is under way${attempt}.`
      : `${taskNames[type]} waits for its turn${attempt}.`,
    next: isOnHost
      ? `Wait: it ends within ${minutes} minutes, or is given up.`
      : { owner: WAIT, operator: 'If its host does not take it within an hour, it is given up.' },
    since: task.state_since,
  };
};

/** A lock refuses what would repair it, and keeps a running one from trading. */
const lookAtLock: Look = ({ status, status_reason, locked_reason: reason }) => {
  if (reason === null || !(status === ACTIVE || status === STOPPED || status === LOGIN_FAILED)) return null;
  const check = status === ACTIVE ? 'experts' : status === STOPPED && status_reason !== LOGGED_OUT ? 'task' : 'login';
  return {
    check,
    cause: 'locked',
    answer: status === ACTIVE ? 'It is running, but a risk rule locked it.' : 'A risk rule locked the terminal.',
    detail: reason,
    next: {
      owner: 'Unlock it: until then logins, experts, its start and algo trading are refused.',
      operator: 'The owner unlocks it: until then logins, experts, its start and algo trading are refused.',
    },
  };
};

const lookAtExperts: Look = ({ status, failed_experts: { total, name, since } }) => {
  if (status !== ACTIVE || total === 0) return null;
  const others = total === 1 ? '' : ` and ${total - 1} more`;
  return {
    check: 'experts',
    cause: 'expert_failed',
    answer: `It is running, but the expert ${name ?? ''}${others} failed.`,
    next: {
      owner: "Look into the experts' log, then install the expert again.",
      operator: "The owner looks into the experts' log, and installs the expert again.",
    },
    since,
  };
};

/** A lock before what it refuses: of two at the same check the first counts. */
export const circumstances: readonly Look[] = [
  lookAtAccount,
  lookAtQueue,
  lookAtHost,
  lookAtTask,
  lookAtLock,
  lookAtExperts,
];
