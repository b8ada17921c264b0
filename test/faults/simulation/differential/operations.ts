/** What may be asked of the server, as data: the same operation is carried out on both stores. */
import {
  observableStatuses,
  TaskType,
  taskTypes,
  TerminalStatus,
  type AgentEvent,
  type ObservableStatus,
} from '@berth/contract';
import type { Tables, TaskRow } from '../store/tables.ts';
import { Random } from '../random.ts';
import { OTHER_USER_ID } from './server-on-store.ts';

/** Tasks, hosts and terminals are named by the order in which they were made: their ids differ between the stores. */
export type Operation =
  /** `isNoted`: a scheduler noted its last tick right before the end of the wait, so that the gap is no downtime. */
  | { kind: 'wait'; ms: number; isNoted: boolean }
  | { kind: 'create terminal' }
  | {
      kind: 'create tasks';
      requests: CreatedShape[];
      /** Claims that wait meanwhile; `isStale`: of a session that is over. */
      waiting?: { host: number; slots: number; isStale: boolean }[];
    }
  | { kind: 'cancel'; task: number }
  | { kind: 'destroy'; terminal: number }
  | { kind: 'session'; host: number }
  | { kind: 'claim'; claims: { host: number; slots: number; known?: HeldShape[] }[] }
  | { kind: 'heartbeat'; beats: { host: number; held: HeldShape[] }[] }
  | { kind: 'report'; reports: { host: number; events: EventShape[] }[] }
  | { kind: 'tick' };

export interface CreatedShape {
  terminal: number;
  type: TaskType;
  delayMs: number | null;
  password?: string;
  allowed?: 0 | 1;
  /** By the second user; the terminal may be the first one's. */
  isOther?: boolean;
}

export interface HeldShape {
  task: number;
  fence: number;
}

export type EventShape =
  | { kind: 'terminal'; terminal: number; status: ObservableStatus; path?: string }
  | { kind: Exclude<AgentEvent['kind'], 'terminal'>; task: number; fence: number; code: string | null };

export const HOSTS = 3;
/** Some wait, then: the hosts take six. */
const MAX_TERMINALS = 9;

/** Around every threshold of the statements: exactly at it, just before, long after. */
const WAITS_MS = [
  ...[1, 100, 1_000, 4_999, 5_000, 6_000, 20_000, 20_001, 29_500, 30_000, 30_001, 60_000, 61_000],
  ...[135_001, 200_000, 300_000, 960_000, 3_700_000, 30 * 86_400_000],
];

const pickTask = (random: Random, tasks: TaskRow[]): { index: number; task: TaskRow } => {
  // The newest are the ones that something can still happen to.
  const open = tasks.map((task, index) => ({ task, index })).filter(({ task }) => task.finished_at === null);
  if (open.length > 0 && random.chance(0.85)) return random.pick(open);
  const index = random.int(0, tasks.length - 1);
  return { index, task: tasks[index]! };
};

const toFence = (random: Random, { attempts }: TaskRow): number =>
  Math.max(1, random.chance(0.85) ? attempts : attempts + random.pick([-1, 1]));

const chooseEvent = (random: Random, tables: Tables, tasks: TaskRow[]): EventShape => {
  if (tasks.length === 0 || random.chance(0.25)) {
    const terminal = random.int(0, Math.max(0, tables.terminals.size - 1));
    return {
      kind: 'terminal',
      terminal,
      status: random.pick(observableStatuses),
      ...(random.chance(0.3) ? { path: '/terminals/x' } : {}),
    };
  }
  const { index, task } = pickTask(random, tasks);
  const kind = random.weighted({ started: 4, completed: 4, failed: 3, timed_out: 1, interrupted: 2 });
  const code = kind === 'failed' ? random.pick(['E_AUTH', 'E_TIMEOUT', 'E_NO_CONNECTION', 'E_DISK']) : null;
  return { kind, task: index, fence: toFence(random, task), code };
};

const hostOf = (random: Random, tables: Tables, event: EventShape, tasks: TaskRow[]): number => {
  const hostIds = [...tables.hosts.keys()];
  const owner =
    event.kind === 'terminal' ? [...tables.terminals.values()][event.terminal]?.host_id : tasks[event.task]?.host_id;
  const index = owner ? hostIds.indexOf(owner) : -1;
  return index === -1 || random.chance(0.1) ? random.int(0, HOSTS - 1) : index;
};

const chooseReports = (random: Random, tables: Tables, tasks: TaskRow[]): Operation => {
  const reports = new Map<number, EventShape[]>();
  for (let count = random.int(1, 4); count > 0; count -= 1) {
    const event = chooseEvent(random, tables, tasks);
    const host = hostOf(random, tables, event, tasks);
    reports.set(host, [...(reports.get(host) ?? []), event]);
  }
  return { kind: 'report', reports: [...reports].map(([host, events]) => ({ host, events })) };
};

const chooseHeld = (random: Random, tasks: TaskRow[]): HeldShape[] => {
  const held = tasks.length === 0 ? [] : Array.from({ length: random.int(0, 3) }, () => pickTask(random, tasks));
  return held.map(({ index, task }) => ({ task: index, fence: toFence(random, task) }));
};

const chooseBeats = (random: Random, tasks: TaskRow[]): Operation => {
  const beats = Array.from({ length: random.int(1, HOSTS) }, () => ({
    host: random.int(0, HOSTS - 1),
    held: chooseHeld(random, tasks),
  }));
  return { kind: 'heartbeat', beats };
};

/** One in two is of hosts that say what they know; the others, of older agents, may name a host twice. */
const chooseClaims = (random: Random, tables: Tables, tasks: TaskRow[]): Operation => {
  const claims = Array.from({ length: random.int(1, HOSTS) }, () => ({
    host: random.int(0, HOSTS - 1),
    slots: random.int(1, 4),
  }));
  // By a chance of its own, which leaves the rest of the sequence as it is.
  const aside = new Random(tables.version + 1);
  if (aside.chance(0.5)) return { kind: 'claim', claims };
  const once = claims.filter(({ host }, at) => claims.findIndex((other) => other.host === host) === at);
  return { kind: 'claim', claims: once.map((claim) => ({ ...claim, known: chooseHeld(aside, tasks) })) };
};

const allHosts = Array.from({ length: HOSTS }, (_, host) => host);

const chooseOrders = (random: Random, tables: Tables): Operation => {
  const terminals = tables.terminals.size;
  const requests: CreatedShape[] = Array.from({ length: random.int(1, 4) }, () => {
    const type = random.chance(0.3) ? TaskType.ACCOUNT_OPEN_DEMO : random.pick(taskTypes.filter((each) => each > 1));
    return {
      terminal: random.int(0, terminals - 1),
      type,
      delayMs: random.chance(0.2) ? random.int(-5, 30) * 1_000 : null,
      ...(type === TaskType.ACCOUNT_LOGIN ? { password: 'secret-of-the-test' } : {}),
      ...(type === TaskType.OPTIONS_AUTO_TRADE ? { allowed: random.pick([0, 1] as const) } : {}),
    };
  });
  // By a chance of its own, which leaves the rest of the sequence as it is.
  const aside = new Random(tables.version + 2);
  const owners = [...tables.terminals.values()].map(({ user_id: userId }) => userId);
  for (const request of requests) request.isOther = (owners[request.terminal] === OTHER_USER_ID) !== aside.chance(0.1);
  if (aside.chance(0.4)) return { kind: 'create tasks', requests };
  const waiting = allHosts.map((host) => ({ host, slots: aside.int(1, 3), isStale: aside.chance(0.15) }));
  return { kind: 'create tasks', requests, waiting };
};

/** Reports that all installations are done and every terminal is connected. */
const reportInstalled = (tables: Tables): Operation => {
  const hostIds = [...tables.hosts.keys()];
  const terminals = [...tables.terminals.values()];
  const reports = allHosts.map((host) => ({
    host,
    events: terminals.flatMap(({ host_id: id }, terminal): EventShape[] =>
      id === hostIds[host]
        ? [
            { kind: 'terminal', terminal, status: TerminalStatus.INSTALLING },
            { kind: 'completed', task: terminal, fence: 1, code: null },
            { kind: 'terminal', terminal, status: TerminalStatus.ACTIVE, path: '/terminals/x' },
          ]
        : [],
    ),
  }));
  return { kind: 'report', reports: reports.filter(({ events }) => events.length > 0) };
};

const claimAll = (): Operation => ({ kind: 'claim', claims: allHosts.map((host) => ({ host, slots: 4 })) });
const createTasks = (tables: Tables): Operation => {
  const owners = [...tables.terminals.values()].map(({ user_id: userId }) => userId);
  const toRequest = (type: TaskType, terminal: number): CreatedShape => {
    return { terminal, type, delayMs: null, isOther: owners[terminal] === OTHER_USER_ID };
  };
  return { kind: 'create tasks', requests: ([5, 11, 5, 6] as const).map(toRequest) };
};

/** How each sequence begins: hosts online, terminals connected, an attempt on each of them under way. */
const prelude: readonly ((tables: Tables) => Operation)[] = [
  ...allHosts.map((host) => (): Operation => ({ kind: 'session', host })),
  ...Array.from({ length: 4 }, () => (): Operation => ({ kind: 'create terminal' })),
  claimAll,
  reportInstalled,
  createTasks,
  createTasks,
  claimAll,
];

/** Ends whatever is under way, so that all terminals want a place again. */
const reportDone = (tables: Tables): Operation => {
  const hostIds = [...tables.hosts.keys()];
  const tasks = [...tables.tasks.values()];
  const reports = allHosts.map((host) => ({
    host,
    events: tasks.flatMap((task, index): EventShape[] =>
      task.host_id === hostIds[host] && tables.leases.get(task.terminal_id)?.task_id === task.id
        ? [{ kind: 'completed', task: index, fence: task.attempts, code: null }]
        : [],
    ),
  }));
  return { kind: 'report', reports: reports.filter(({ events }) => events.length > 0) };
};

const claimOne = (): Operation => ({ kind: 'claim', claims: allHosts.map((host) => ({ host, slots: 1 })) });

/** How some go on: two users have more to do on a host than it takes at once. */
const contest: readonly ((tables: Tables) => Operation)[] = [
  createTasks,
  ...Array.from({ length: 3 }, () => [reportDone, claimOne]).flat(),
];

/** The next operation of a sequence, chosen so that it mostly means something in the state that the store is in. */
export const chooseOperation = (random: Random, tables: Tables, number: number, isContested: boolean): Operation => {
  const begin = isContested ? [...prelude, ...contest] : prelude;
  return begin[number]?.(tables) ?? chooseFreely(random, tables);
};

const chooseFreely = (random: Random, tables: Tables): Operation => {
  const tasks = [...tables.tasks.values()];
  const terminals = tables.terminals.size;
  const kind = random.weighted<Operation['kind']>({
    wait: 6,
    'create terminal': terminals < MAX_TERMINALS ? 2 : 0,
    'create tasks': terminals > 0 ? 3 : 0,
    cancel: tasks.length > 0 ? 1 : 0,
    destroy: terminals > 0 ? 0.4 : 0,
    session: 1,
    claim: 4,
    heartbeat: 3,
    report: 6,
    tick: 5,
  });
  switch (kind) {
    case 'wait':
      return { kind, ms: random.chance(0.05) ? -600_000 : random.pick(WAITS_MS), isNoted: random.chance(0.7) };
    case 'create tasks':
      return chooseOrders(random, tables);
    case 'cancel':
      return { kind, task: pickTask(random, tasks).index };
    case 'destroy':
      return { kind, terminal: random.int(0, terminals - 1) };
    case 'session':
      return { kind, host: random.int(0, HOSTS - 1) };
    case 'claim':
      return chooseClaims(random, tables, tasks);
    case 'heartbeat':
      return chooseBeats(random, tasks);
    case 'report':
      return chooseReports(random, tables, tasks);
    case 'create terminal':
    case 'tick':
      return { kind };
  }
};
