/**
 * Why a terminal is not running: what has to be right, in the order in which one thing needs the other, and the first of
 * it that is wrong. Pure. Each status has an answer of its own (`causes.ts`), and so have the circumstances that explain
 * more than a status does (`circumstances.ts`): the earliest of all counts.
 */
import {
  AccountStatus,
  TaskStatus,
  TerminalStatus,
  whyChecks,
  type TerminalWhy,
  type WhyCheckName,
} from '@berth/contract';
import type { Cause, Reader } from './cause.ts';
import { toOwnCause } from './causes.ts';
import { circumstances } from './circumstances.ts';
import { taskNames, type TerminalFacts } from './facts.ts';

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
  const disk = host.disk_available_mb === null ? '' : `, ${(host.disk_available_mb / 1024).toFixed(1)} GB of disk free`;
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

const toFine = (check: WhyCheckName, facts: TerminalFacts, reader: Reader): string => said[check](facts, reader);

const findCause = (facts: TerminalFacts): Cause | undefined => {
  const found = [...circumstances, toOwnCause].flatMap((look) => look(facts) ?? []);
  const first = Math.min(...found.map(({ check }) => whyChecks.indexOf(check)));
  return found.find(({ check }) => whyChecks.indexOf(check) === first);
};

const isBehind = (check: WhyCheckName, wrong: Cause | undefined): boolean =>
  wrong !== undefined && whyChecks.indexOf(check) > whyChecks.indexOf(wrong.check);

export const explain = (facts: TerminalFacts, reader: Reader): TerminalWhy => {
  const wrong = findCause(facts);
  const chain = whyChecks.map((check): TerminalWhy['chain'][number] => {
    if (isBehind(check, wrong)) return { check, ok: null, message: 'Not checked yet.', next_step: null };
    if (wrong?.check !== check) return { check, ok: true, message: toFine(check, facts, reader), next_step: null };
    const next_step = typeof wrong.next === 'string' ? wrong.next : wrong.next[reader];
    return { check, ok: false, message: wrong.detail || wrong.answer, next_step };
  });
  const running = facts.status === TerminalStatus.ACTIVE ? 'It is running.' : 'Nothing is wrong.';
  return {
    answer: wrong?.answer ?? running,
    cause: wrong?.cause ?? null,
    since: new Date(wrong?.since ?? facts.status_changed_at).toISOString(),
    chain,
  };
};
