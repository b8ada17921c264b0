/** Defects that are planted to see the simulation find them: through the seams, never by another source. */
import {
  interruptibleTypes,
  MAX_ATTEMPTS,
  taskCatalogue,
  TaskStatus,
  TaskType,
  type AgentEvent,
} from '@berth/contract';
import type { Answer, Answers } from './store/memory-database.ts';
import { listExpired, noteTick } from './store/scheduler-statements.ts';
import type { Tables, TaskRow } from './store/tables.ts';
import { claimTasks, findUnreceived, insertTasks, applyTransitions, toClaimedRow } from './store/task-statements.ts';
import type { DiskDefect } from './world/virtual-disk.ts';

const { QUEUED, RUNNING, COMPLETED, FAILED, TERMINATED } = TaskStatus;

export interface Mutation {
  /** Statements that answer differently. */
  answers?: Answers;
  disk?: DiskDefect;
  /** What becomes of reported events on their way to the server. */
  rewriteEvents?: (events: AgentEvent[], tables: Tables) => AgentEvent[];
  /** Whether a stranger's answer to a report passes for the server's verdicts. */
  believesStrangers?: boolean;
}

/** Claims as if no terminal had a lease. */
const claimWithoutLease: Answer = (tables, now, values) => {
  const leases = [...tables.leases];
  tables.leases.clear();
  const rows = claimTasks(tables, now, values);
  for (const [terminalId, lease] of leases) if (!tables.leases.has(terminalId)) tables.leases.set(terminalId, lease);
  return rows;
};

/** As if an installation held up nothing: what was created behind it goes first. */
const claimBeforeInstallation: Answer = (tables, now, values) => {
  const installs = [...tables.tasks.values()].filter(
    ({ type, finished_at: finishedAt }) => type === TaskType.TERMINAL_INSTALL && finishedAt === null,
  );
  for (const task of installs) task.planned_at = Infinity;
  const rows = claimTasks(tables, now, values);
  for (const task of installs) task.planned_at = null;
  return rows.length > 0 ? rows : claimTasks(tables, now, values);
};

/** Hands out again what anybody was given, whichever session of whichever host that was. */
const claimOfAnybody: Answer = (tables, now, values) => {
  const [[asking]] = values;
  const given = [...tables.leases.values()].flatMap(({ host_id: hostId, session_id: sessionId, task_id: taskId }) => {
    const ofHost = values.with(0, [hostId]).with(1, [tables.leases.size]).with(4, [sessionId]).with(6, [true]);
    return findUnreceived(tables, now, ofHost).filter(({ id }) => id === taskId);
  });
  if (given.length === 0) return claimTasks(tables, now, values);
  return given.map((task) => ({ ...toClaimedRow(tables, task), host_id: asking }));
};

/** As a statement that counts milliseconds in 31 bits. */
const noteTickInBits: Answer = (tables, now, values) => {
  if (Math.abs(now - tables.scheduler.last_run_at) > 0x7fff_ffff) throw new Error('integer out of range');
  return noteTick(tables, now, values);
};

/** Forgets the time that nobody spent in a queue. */
const noteTickWithoutCompensation: Answer = (tables, now, values) => {
  const rows = noteTick(tables, now, values);
  tables.set(tables.scheduler, { queue_downtime: 0 });
  return rows;
};

/** As if stops were tasks like all others. */
const insertInOneLane: Answer = (tables, now, values) => {
  const rows = insertTasks(tables, now, values);
  for (const row of rows as { id: string }[]) {
    const task = tables.tasks.get(row.id);
    if (task && task.type !== TaskType.TERMINAL_INSTALL) tables.changeLane(task, 1);
  }
  return rows;
};

/** Whatever hosts have in hand and may be repeated. */
const listAllInHand: Answer = (tables) =>
  [...tables.leases.values()].flatMap(({ task_id: id }) => {
    const task = tables.tasks.get(id);
    return task && interruptibleTypes.includes(task.type) ? [{ id }] : [];
  });

/** Moves to `from` become moves to `to`, of the tasks that are meant. */
const moveInstead =
  (from: number, to: number, isMeant: (task: TaskRow) => boolean = () => true): Answer =>
  (tables, now, [ids, terminals, statuses, ...rest]) => {
    const changed = (statuses as number[]).map((status, index) => {
      const task = tables.tasks.get((ids as string[])[index] ?? '');
      return status === from && task && isMeant(task) ? to : status;
    });
    return applyTransitions(tables, now, [ids, terminals, changed, ...rest]);
  };

/** Leaves the lease of an ended attempt where it is. */
const moveWithoutRelease: Answer = (tables, now, values) => {
  const leases = [...tables.leases];
  const rows = applyTransitions(tables, now, values);
  for (const [terminalId, lease] of leases) tables.leases.set(terminalId, lease);
  return rows;
};

const isExhausted = ({ type, attempts }: TaskRow): boolean =>
  taskCatalogue[type].isRepeatable && attempts >= MAX_ATTEMPTS;

export const mutations: Record<string, Mutation> = {
  'fence: a report counts for whatever attempt is under way': {
    rewriteEvents: (events, tables) =>
      events.map((event) => {
        const task = tables.tasks.get(event.task_id ?? '');
        return task ? { ...event, fence: Math.max(1, task.attempts) } : event;
      }),
  },
  'network: whoever answers a report counts as the server': { believesStrangers: true },
  'journal: promises without waiting for the disk': { disk: 'datasync does nothing' },
  'journal: accepts without writing': { disk: 'appends are forgotten' },
  'lease: two attempts of one terminal at once': { answers: { claim_tasks: claimWithoutLease } },
  'queue: a task overtakes the installation of its terminal': { answers: { claim_tasks: claimBeforeInstallation } },
  'lease: never expires': { answers: { list_expired_leases: () => [] } },
  'lease: expires fifteen seconds late': {
    answers: { list_expired_leases: (tables, now, values) => listExpired(tables, now - 15_000, values) },
  },
  'lease: outlives its attempt': { answers: { apply_transitions: moveWithoutRelease } },
  'delivery: what one host was given is handed out again to another': {
    answers: { claim_tasks: claimOfAnybody },
  },
  'outcome: what must not be repeated is repeated': { answers: { apply_transitions: moveInstead(TERMINATED, QUEUED) } },
  'outcome: attempts have no limit': {
    answers: { apply_transitions: moveInstead(FAILED, QUEUED, isExhausted) },
  },
  'inbox: one task in ten is lost': {
    answers: {
      insert_tasks: (tables, now, values) => {
        const rows = insertTasks(tables, now, values);
        const [ids] = values as [string[]];
        if (tables.tasks.size % 10 === 0) tables.removeTask(ids[0] ?? '');
        return rows;
      },
    },
  },
  'stops: wait behind what runs': { answers: { list_attempts_before_stops: () => [] } },
  'stops: wait for their turn': { answers: { insert_tasks: insertInOneLane } },
  'stops: interrupt what nothing waits for': { answers: { list_attempts_before_stops: listAllInHand } },
  'clock: a downtime of more than 24.8 days is an error': { answers: { note_tick: noteTickInBits } },
  'clock: a downtime counts as time in a queue': { answers: { note_tick: noteTickWithoutCompensation } },
  'table: a start is a completion': { answers: { apply_transitions: moveInstead(RUNNING, COMPLETED) } },
};
