/** Why a terminal is not running: every state that one can be in for a minute has an answer and a next step. */
import {
  accountStatuses,
  AccountStatus,
  hostStatuses,
  HostStatus,
  LOGGED_OUT,
  loginProblemTexts,
  NOT_RUNNING,
  REFUSED_FOR_NOW,
  stepCodes,
  suspendedTerminals,
  taskStatuses,
  TaskStatus,
  TaskType,
  terminalStatuses,
  TerminalStatus,
  whyCauses,
  whyChecks,
} from '@berth/contract';
import { expect, it } from 'vitest';
import { MOVING_REASON } from '../src/terminals/moves.ts';
import { explain } from '../src/terminals/why/explain.ts';
import { movingTypes, type TerminalFacts } from '../src/terminals/why/facts.ts';

const AT = '2026-11-30T10:00:00.000000Z';
const LATER = '2026-11-30T11:00:00+00:00';

const host = (status: HostStatus): NonNullable<TerminalFacts['host']> => ({
  ...{ name: 'fra-01', status, last_seen_at: LATER, agent_version: '0.3.1', disk_available_mb: 400 },
  ...{ is_cordoned: false, drain_started_at: null },
});
const region = (hosts: number, online: number, free: number, cordoned: string | null = null) => ({
  ...{ name: 'Frankfurt', accepts_terminals: true, hosts, online, free, cordoned },
});
const openTask = (type: TaskType, status: TaskStatus): TerminalFacts['task'] => ({
  ...{ type: type as (typeof movingTypes)[number], status, attempts: 1, state_since: LATER },
});
const ended = (type: TaskType, status: TaskStatus, code: (typeof stepCodes)[number] | null) =>
  ({ type, status, actor: 'user', finished_at: LATER, code, message: 'It came to nothing.' }) as TerminalFacts['last'];

const running: TerminalFacts = {
  status: TerminalStatus.ACTIVE,
  status_reason: null,
  status_changed_at: AT,
  platform: 'mt5',
  server_name: 'Harbour-Live',
  login: '50018266',
  locked_reason: null,
  has_password: true,
  is_drained: false,
  user: {
    ...{ status: AccountStatus.ACTIVE, suspended_at: null, suspended_terminals: null, closed_at: null },
    ...{ plan: 0, terminal_limit: 5, terminals: 3 },
  },
  storage: { used_bytes: 1, quota_bytes: 2 },
  region: region(2, 2, 1),
  queue_place: null,
  host: host(HostStatus.ONLINE),
  task: null,
  last: ended(TaskType.TERMINAL_INSTALL, TaskStatus.COMPLETED, null),
  ping_ms: 12,
  failed_experts: { total: 0, name: null, since: null },
};

/** All that a host, a rule or the service writes beside a status, and what nobody has thought of. */
const reasons = [
  ...[
    null,
    MOVING_REASON,
    'A text of a later version.',
    'stopped',
    LOGGED_OUT,
    `${NOT_RUNNING}: it was killed (SIGKILL).`,
  ],
  ...[`Harbour-Live ${REFUSED_FOR_NOW} (common error).`, ...Object.values(loginProblemTexts)],
];
const places: Partial<TerminalFacts>[] = [
  ...hostStatuses.map((status) => ({ host: host(status) })),
  { host: { ...host(HostStatus.ONLINE), drain_started_at: LATER }, is_drained: true },
  ...[region(0, 0, 0), region(2, 0, 0), region(2, 1, 0), region(2, 1, 4), region(2, 1, 0, 'fra-01')].map((each) => ({
    ...{ host: null, region: each, queue_place: 3 },
  })),
];
const users = accountStatuses.flatMap((status) =>
  (status === AccountStatus.SUSPENDED ? suspendedTerminals : [null]).map((suspended_terminals) => ({
    user: { ...running.user, status, suspended_terminals, suspended_at: null, closed_at: LATER },
  })),
);
const locks = [null, 'Daily loss of 3 % reached.'].map((locked_reason) => ({ locked_reason }));
const tasks: Partial<TerminalFacts>[] = [
  { task: null },
  { task: null, last: null },
  ...stepCodes.map((code) => ({ last: ended(TaskType.TERMINAL_START, TaskStatus.FAILED, code) })),
  ...movingTypes.flatMap((type) =>
    taskStatuses
      .filter((status) => status <= TaskStatus.RUNNING)
      .map((status) => ({ task: openTask(type, status), last: ended(type, TaskStatus.TERMINATED, null) })),
  ),
];

/** Everything with everything, but tasks: those with each status at each place. */
function* walk(): Generator<TerminalFacts> {
  for (const status of terminalStatuses)
    for (const place of places)
      for (const lock of locks) {
        const here = { ...running, status, ...place, ...lock };
        for (const task of tasks) yield { ...here, ...task };
        for (const status_reason of reasons) for (const user of users) yield { ...here, status_reason, ...user };
      }
}

const judge = (facts: TerminalFacts, reader: 'owner' | 'operator'): string | null => {
  const { answer, cause, since, chain } = explain(facts, reader);
  const oks = chain.map(({ ok }) => ok);
  const at = oks.indexOf(false);
  const isOrdered =
    at < 0
      ? oks.every((ok) => ok === true)
      : oks.every((ok, index) => ok === (index < at || (index > at ? null : false)));
  const texts = [answer, since, ...chain.flatMap(({ message, next_step }) => [message, next_step ?? 'none'])];
  const isSaid = texts.every((text) => text.trim() !== '' && !/undefined|NaN|\bnull\b|unknown reason/i.test(text));
  const isHelped = chain.every(({ ok, next_step }) => (ok === false) === (next_step !== null));
  if (!isOrdered || !isSaid || !isHelped || (cause === null) !== at < 0)
    throw new Error(JSON.stringify([facts, chain]));
  return cause;
};

it('every state of a terminal has one first thing that is wrong, with a next step for its owner and for operators', () => {
  const causes = new Set<string | null>();
  for (const facts of walk()) {
    const cause = judge(facts, 'operator');
    if (judge(facts, 'owner') !== cause) throw new Error(`an owner reads something else than ${cause}`);
    const isHealthy = facts.status === TerminalStatus.ACTIVE && facts.locked_reason === null;
    const isReachable = facts.host === null || facts.host.status === HostStatus.ONLINE;
    if ((cause === null) !== (isHealthy && isReachable)) throw new Error(`${facts.status} has ${cause}`);
    causes.add(cause);
  }
  causes.add(judge({ ...running, failed_experts: { total: 2, name: 'Trend', since: AT } }, 'owner'));
  expect([...causes].filter((cause) => cause !== null).sort()).toEqual([...whyCauses].sort());
});

it('a terminal that runs says so, and all of its steps are right', () => {
  const { answer, cause, chain } = explain(running, 'owner');
  expect({ answer, cause }).toEqual({ answer: 'It is running.', cause: null });
  expect(chain.map(({ check, ok }) => [check, ok])).toEqual(whyChecks.map((check) => [check, true]));
});

const { STOPPED, LOGIN_FAILED, DISCONNECTED, PENDING, FAILED, UNREACHABLE, DESTROYING } = TerminalStatus;
const waiting = { status: PENDING, host: null, queue_place: 3, region: region(2, 1, 0) };
const refused = { status: LOGIN_FAILED, status_reason: `Harbour-Live ${loginProblemTexts.refused}Invalid account).` };
const suspended = {
  user: { ...running.user, status: AccountStatus.SUSPENDED, suspended_terminals: 'stop', suspended_at: LATER },
} as const;

it.each<[string, Partial<TerminalFacts>, string, string, RegExp]>([
  ['a wrong password', refused, 'login', 'login_refused', /refuses the login 50018266/],
  [
    'a wrong password of an account that is suspended',
    { ...refused, ...suspended },
    'registration',
    'account_suspended',
    /suspended/,
  ],
  ['a wrong password of a locked one', { ...refused, locked_reason: 'Loss.' }, 'login', 'locked', /risk rule/],
  [
    'a login that is tried again',
    { ...refused, task: openTask(TaskType.ACCOUNT_LOGIN, TaskStatus.RUNNING) },
    'task',
    'task_open',
    /The login is under way/,
  ],
  [
    'an unknown server',
    { status: LOGIN_FAILED, status_reason: loginProblemTexts.server_unknown },
    'login',
    'server_unknown',
    /does not know/,
  ],
  [
    'a closed broker',
    { status: DISCONNECTED, status_reason: `Harbour-Live ${REFUSED_FOR_NOW} (common error).` },
    'link',
    'broker_closed',
    /does not take logins/,
  ],
  ['a queue', waiting, 'place', 'no_slot', /2 terminals go before it/],
  ['a queue of nobody else', { ...waiting, queue_place: 1 }, 'place', 'no_slot', /It is next/],
  ['a lost host', { status: UNREACHABLE, host: host(HostStatus.LOST) }, 'host', 'host_offline', /fra-01 is offline/],
  ['a deletion', { status: DESTROYING }, 'task', 'deleting', /being deleted/],
  [
    'a start that failed',
    { status: STOPPED, status_reason: 'stopped', last: ended(TaskType.TERMINAL_START, TaskStatus.FAILED, 'E_MEMORY') },
    'journal',
    'task_failed',
    /The start failed/,
  ],
  [
    'a full disk',
    { status: FAILED, last: ended(TaskType.TERMINAL_INSTALL, TaskStatus.FAILED, 'E_DISK') },
    'journal',
    'installation_failed',
    /failed/,
  ],
])('the first thing that is wrong is named: %s', (_name, facts, check, cause, answer) => {
  const why = explain({ ...running, ...facts }, 'operator');
  expect(why).toMatchObject({ cause, answer: expect.stringMatching(answer) });
  expect(why.chain.find(({ ok }) => ok === false)?.check).toBe(check);
});

it('what began later than the status is dated by itself', () => {
  expect(explain({ ...running, ...refused }, 'owner').since).toBe('2026-11-30T10:00:00.000Z');
  expect(explain({ ...running, ...refused, ...suspended }, 'operator').since).toBe('2026-11-30T11:00:00.000Z');
});

it('an owner reads no more of a host than its name, and no command of an operator', () => {
  for (const facts of [running, { ...running, ...waiting }, { ...running, status: UNREACHABLE, ...places[2] }]) {
    const text = JSON.stringify(explain(facts, 'owner'));
    expect(text).not.toMatch(/0\.3\.1|GB of disk|script\/|page Hosts|page Users/);
  }
});
