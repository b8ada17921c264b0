/** What is said of a step where nothing is wrong. */
import { AccountStatus, TaskStatus, TerminalStatus, type WhyCheckName } from '@berth/contract';
import type { Reader } from './cause.ts';
import type { TerminalFacts } from './facts.ts';
import { taskNames } from './task-names.ts';

type Say = (facts: TerminalFacts, reader: Reader) => string;

const accountTexts: Record<AccountStatus, string> = {
  [AccountStatus.ACTIVE]: 'The account is active.',
  [AccountStatus.SUSPENDED]: 'The account is suspended; what ran goes on.',
  [AccountStatus.CLOSED]: 'The account is closed.',
};

const sayPlan: Say = ({ user: { terminals, terminal_limit: limit }, storage }) => {
  const count = `${terminals} ${terminals === 1 ? 'terminal' : 'terminals'}`;
  const isFull = storage.used_bytes >= storage.quota_bytes;
  const full = isFull ? ' Storage is full: new tasks are refused until something is deleted.' : '';
  return `${limit === null ? count : `${count}, of ${limit}`}.${full}`;
};

const sayHost: Say = ({ host }, reader) => {
  if (host === null) return 'It needs none any more.';
  if (reader === 'owner') return `${host.name} is online.`;
  const state = host.drain_started_at ? ', is being drained' : host.is_cordoned ? ', takes no new terminals' : '';
  const disk = host.disk_available_mb === null ? '' : `, ${host.disk_available_mb} MB of disk free`;
  const agent = host.agent_version === null ? '' : `, agent ${host.agent_version}`;
  return `${host.name} is online${agent}${disk}${state}.`;
};

const sayLast: Say = ({ last, status }) => {
  if (last === null) return 'No attempt has ended yet.';
  const name = taskNames[last.type];
  if (last.status === TaskStatus.COMPLETED) return `${name} succeeded.`;
  if (last.status === TaskStatus.CANCELED) return `${name} was canceled.`;
  return status === TerminalStatus.LOGIN_FAILED ? 'Only the login failed.' : `${name} failed, but that is over.`;
};

const said: Record<WhyCheckName, Say> = {
  registration: ({ user }) => accountTexts[user.status],
  plan: sayPlan,
  region: ({ region }) =>
    region.accepts_terminals ? `${region.name} is open.` : `${region.name} takes no new terminals; this one stays.`,
  place: ({ host }) => (host ? 'It has a slot.' : 'It needs no slot any more.'),
  host: sayHost,
  box: () => 'Its host reports no problem with its program.',
  task: ({ task }) => (task ? `${taskNames[task.type]} is open.` : 'Nothing is open that it waits for.'),
  journal: sayLast,
  login: ({ status, login, server_name }) =>
    status === TerminalStatus.ACTIVE ? `Logged in to ${server_name} as ${login}.` : 'The login was accepted.',
  link: ({ ping_ms }) => (ping_ms === null ? 'Connected.' : `Connected, ping ${ping_ms} ms.`),
  experts: () => 'No expert has failed.',
};

export const toFine = (check: WhyCheckName, facts: TerminalFacts, reader: Reader): string => said[check](facts, reader);
