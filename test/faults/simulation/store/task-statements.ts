/** Mirrors of the statements in tasks/transitions.ts, and of those that read tasks. */
import {
  HostStatus,
  admittingStatuses,
  interruptibleTypes,
  isRefusedByLock,
  isStop,
  MAX_INTERRUPTED_ATTEMPTS,
  MAX_OPEN_TASKS,
  TaskStatus,
  TaskType,
  TerminalStatus,
  type TaskResult,
} from '@berth/contract';
import type { Answer, Answers } from './memory-database.ts';
import type { LeaseRow, TaskRow, Tables, TerminalRow } from './tables.ts';

interface ClaimingHost {
  hostId: string;
  slots: number;
  lastUserId: string;
  terminalIds: string[] | null;
}

const isOn = (terminal: TerminalRow, hostId: string): boolean =>
  terminal.host_id === hostId && terminal.deleted_at === null;

/**
 * In turns among users: one turn after the other, in each of them by the users' ids, from the one after the last that was
 * served.
 * @param terminalIds looks at no other terminals; null: at all
 */
const findClaimable = (
  tables: Tables,
  now: number,
  { hostId, slots, lastUserId, terminalIds }: ClaimingHost,
): TaskRow[] => {
  const taken = new Map<string, number>();
  const take = (userId: string): number => {
    const turn = (taken.get(userId) ?? 0) + 1;
    taken.set(userId, turn);
    return turn;
  };
  const heads: { task: TaskRow; userId: string }[] = [];
  for (const terminal of tables.terminals.values()) {
    if (!isOn(terminal, hostId) || terminalIds?.includes(terminal.id) === false) continue;
    const task = tables.findHead(hostId, terminal.id, now);
    const userId = terminal.user_id;
    if (!task) continue;
    if (task.status > TaskStatus.QUEUED || tables.leases.has(terminal.id)) take(userId);
    else if (task.available_at === null || task.available_at <= now) heads.push({ task, userId });
  }
  heads.sort((a, b) => a.task.lane - b.task.lane || a.task.seq - b.task.seq);
  const ranked = heads.map(({ task, userId }) => ({
    task,
    turn: take(userId),
    userId,
    isBefore: userId <= lastUserId,
  }));
  ranked.sort((a, b) => a.turn - b.turn || Number(a.isBefore) - Number(b.isBefore) || (a.userId < b.userId ? -1 : 1));
  return ranked.slice(0, slots).map(({ task }) => task);
};

const deliver = (
  tables: Tables,
  now: number,
  task: TaskRow,
  { sessionId, leaseMs, deadlineMs }: { sessionId: string; leaseMs: number; deadlineMs: number },
): void => {
  const fence = task.attempts + 1;
  const { terminal_id: terminalId } = task;
  const times = { expires_at: now + leaseMs, deadline_at: now + deadlineMs };
  const lease = {
    terminal_id: terminalId,
    task_id: task.id,
    host_id: task.host_id ?? '',
    session_id: sessionId,
    fence,
    ...times,
  };
  tables.put(tables.leases, terminalId, lease);
  tables.setTask(task, {
    status: TaskStatus.DELIVERED,
    attempts: fence,
    actor: 'agent',
    delivered_at: now,
    state_since: now,
  });
};

export const toClaimedRow = (tables: Tables, task: TaskRow): object => {
  const terminal = tables.terminals.get(task.terminal_id);
  const usesPassword = task.type === TaskType.TERMINAL_INSTALL || task.type === TaskType.ACCOUNT_LOGIN;
  return {
    id: task.id,
    user_id: terminal?.user_id,
    fence: task.attempts,
    type: task.type,
    payload: task.payload,
    sealed: task.sealed,
    host_id: task.host_id,
    terminal_id: task.terminal_id,
    platform: terminal?.platform,
    terminal_status: terminal?.status,
    server_name: terminal?.server_name,
    login: terminal?.login,
    stored_password: usesPassword ? (tables.passwords.get(task.terminal_id) ?? null) : null,
  };
};

/** What the claiming hosts were given, do not know of, and have not started. */
export const findUnreceived = (tables: Tables, now: number, values: any[]): TaskRow[] => {
  const [hostIds, slots, , , sessionIds, , sayKnown, knownHosts, knownTasks, knownFences, leftMs] = values;
  const isKnown = ({ host_id: hostId, task_id: taskId, fence }: LeaseRow): boolean =>
    (knownTasks as string[]).some((id, at) => id === taskId && knownHosts[at] === hostId && knownFences[at] === fence);
  return (hostIds as string[]).flatMap((hostId, at) =>
    [...tables.leases.values()]
      .filter((lease) => lease.host_id === hostId && lease.session_id === sessionIds[at])
      .filter((lease) => sayKnown[at] === true && !isKnown(lease) && lease.expires_at > now + leftMs)
      .filter((lease) => tables.hosts.get(hostId)?.session_id === lease.session_id)
      .flatMap((lease) => tables.tasks.get(lease.task_id) ?? [])
      .filter(({ status }) => status === TaskStatus.DELIVERED)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, slots[at] as number),
  );
};

export const claimTasks: Answer = (tables, now, values) => {
  const [hostIds, slots, leaseMs, deadlineMs, sessionIds, users, , , , , , terminalIds] = values;
  const repeated = findUnreceived(tables, now, values);
  const served = new Set(repeated.map((task) => task.host_id));
  const given = [...repeated];
  (hostIds as string[]).forEach((hostId, at) => {
    const sessionId = sessionIds[at] as string;
    if (tables.hosts.get(hostId)?.session_id !== sessionId || served.has(hostId)) return;
    const host = { hostId, slots: slots[at] as number, lastUserId: users[at] as string, terminalIds };
    const picked = findClaimable(tables, now, host);
    for (const task of picked) deliver(tables, now, task, { sessionId, leaseMs, deadlineMs });
    given.push(...picked);
  });
  return given.sort((a, b) => a.seq - b.seq).map((task) => toClaimedRow(tables, task));
};

const toText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const lockTasks: Answer = (tables, _now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const task = tables.tasks.get(id);
    if (!task) return [];
    const { user_id, terminal_id, host_id, type, status, attempts, payload, sealed } = task;
    const delivered_at = toText(task.delivered_at);
    return [{ id, user_id, terminal_id, host_id, type, status, attempts, payload, sealed, delivered_at }];
  });

const hasNext = (tables: Tables, task: TaskRow): boolean =>
  task.host_id !== null &&
  tables.listOpen(task.terminal_id).some((other) => other !== task && other.host_id === task.host_id);

const toStartedAt = (task: TaskRow, to: number, now: number): number | null => {
  if (to === TaskStatus.QUEUED) return null;
  return to === TaskStatus.RUNNING || to === TaskStatus.COMPLETED ? (task.started_at ?? now) : task.started_at;
};

const moveOne = (tables: Tables, now: number, task: TaskRow, move: MoveValues, deadlineMs: number): void => {
  const { to, result, delayMs, actor } = move;
  const lease = tables.leases.get(task.terminal_id);
  if (lease?.task_id === task.id) {
    if (to === TaskStatus.RUNNING) tables.set(lease, { deadline_at: now + deadlineMs });
    else tables.remove(tables.leases, task.terminal_id);
  }
  tables.setTask(task, {
    status: to,
    actor,
    result: result === null ? task.result : (JSON.parse(result) as TaskResult),
    sealed: to >= TaskStatus.COMPLETED ? null : task.sealed,
    available_at: to === TaskStatus.QUEUED ? now + delayMs : task.available_at,
    started_at: toStartedAt(task, to, now),
    finished_at: to >= TaskStatus.COMPLETED ? now : null,
    state_since: now,
  });
};

interface MoveValues {
  to: TaskStatus;
  result: string | null;
  delayMs: number;
  actor: string;
}

export const applyTransitions: Answer = (tables, now, [ids, , to, results, delays, actors, deadlines]) => {
  // As in one statement, what is asked beside the update still sees the rows before it.
  const moves = (ids as string[]).flatMap((id, index) => {
    const task = tables.tasks.get(id);
    return task ? [{ task, index, isNext: hasNext(tables, task) }] : [];
  });
  for (const { task, index } of moves) {
    const move = { to: to[index], result: results[index], delayMs: delays[index], actor: actors[index] };
    moveOne(tables, now, task, move, deadlines[index] as number);
  }
  return moves.map(({ task, index, isNext }) => ({
    host_id: task.host_id,
    has_next: to[index] >= TaskStatus.COMPLETED && isNext,
  }));
};

const toLane = (type: TaskType, payload: Record<string, unknown>): number =>
  type === TaskType.TERMINAL_INSTALL || isStop(type, payload) ? 0 : 1;

export const insertTasks: Answer = (tables, now, values) => {
  const [ids, users, terminals, types, payloads, sealed, , plannedAt, actors] = values;
  return (ids as string[]).map((id, index) => {
    const terminal = tables.terminals.get(terminals[index] as string);
    const isFound = terminal !== undefined && terminal.user_id === users[index] && terminal.deleted_at === null;
    if (!isFound) {
      return {
        id,
        terminal_status: null,
        host_id: null,
        is_locked: null,
        is_suspended: null,
        is_stopping: null,
        is_draining: null,
        created_at: null,
      };
    }
    // Nobody is suspended or stops all trading, and no host is drained, in the simulation.
    const refusals = { is_suspended: false, is_stopping: false, is_draining: false };
    const { status, host_id } = terminal;
    const isFull = tables.listOpen(terminal.id).filter((task) => task.host_id === host_id).length >= MAX_OPEN_TASKS;
    const admits = (admittingStatuses as readonly number[]).includes(status) && !isFull;
    const type = types[index] as TaskType;
    const payload = JSON.parse(payloads[index] as string) as Record<string, unknown>;
    const is_locked = terminal.locked_reason !== null && isRefusedByLock(type, payload);
    const isAdmitted = (actors[index] === 'service' || admits) && !is_locked;
    if (!isAdmitted) return { id, terminal_status: status, host_id, is_locked, ...refusals, created_at: null };
    tables.insertTask({
      id,
      seq: 0,
      lane: toLane(type, payload),
      user_id: users[index] as string,
      host_id: terminal.host_id,
      terminal_id: terminal.id,
      type,
      payload,
      sealed: sealed[index] as string | null,
      result: null,
      status: TaskStatus.PENDING,
      attempts: 0,
      actor: actors[index] as string,
      planned_at: plannedAt[index] === null ? null : Date.parse(plannedAt[index] as string),
      available_at: null,
      state_since: now,
      delivered_at: null,
      started_at: null,
      finished_at: null,
    });
    return {
      id,
      terminal_status: status,
      host_id,
      is_locked,
      ...refusals,
      created_at: new Date(now).toISOString(),
    };
  });
};

/** An end that no attempt led to. */
const end = (
  tables: Tables,
  now: number,
  task: TaskRow,
  { to, actor, result }: { to: TaskStatus; actor: string; result: string },
): object => {
  const ended = { sealed: null, finished_at: now, state_since: now, result: JSON.parse(result) as TaskResult };
  tables.setTask(task, { status: to, actor, ...ended });
  const { id, user_id, terminal_id, type, status, delivered_at } = task;
  return { id, user_id, terminal_id, type, status, delivered_at: toText(delivered_at) };
};

/** Ends the tasks that no host has and that are meant. */
const endWaiting = (
  tables: Tables,
  now: number,
  ending: { to: TaskStatus; actor: string; result: string },
  isMeant: (task: TaskRow) => boolean,
  among: Iterable<TaskRow> = tables.tasks.values(),
): object[] =>
  [...among]
    .filter((task) => task.finished_at === null && task.status <= TaskStatus.QUEUED && isMeant(task))
    .map((task) => end(tables, now, task, ending));

const cancelTask: Answer = (tables, now, [result, id, terminalId, userId]) => {
  const task = tables.tasks.get(id as string);
  const isOurs = task?.terminal_id === terminalId && task?.user_id === userId;
  if (!task || !isOurs || task.status > TaskStatus.QUEUED) return [];
  return [{ ...task, ...end(tables, now, task, { to: 6, actor: 'user', result: result as string }) }];
};

const cancelOpenTasks: Answer = (tables, now, [result, terminalId]) =>
  endWaiting(tables, now, { to: 6, actor: 'user', result }, () => true, tables.listOpen(terminalId as string));

/** Where tasks may be on the wrong host, or wait for nothing. All places at once: the simulation has few. */
const lookForStrays: Answer = (tables) =>
  [...tables.listAllOpen()].flatMap((open) =>
    [...new Set(open.map((task) => task.host_id))].flatMap((hostId) => {
      const terminal = tables.terminals.get(open[0]!.terminal_id);
      if (!terminal) return [];
      const { id, status, status_reason, host_id, deleted_at: deletedAt } = terminal;
      const isAbandoned = hostId === null || tables.hosts.get(hostId)?.status === HostStatus.RETIRED;
      const is_leaving = deletedAt !== null || status === TerminalStatus.DESTROYING;
      const is_failed = status === TerminalStatus.FAILED;
      const is_moved = deletedAt === null && host_id !== null && host_id !== hostId && isAbandoned;
      const isStray = is_leaving || is_failed || is_moved;
      return isStray
        ? [{ host_id: hostId, terminal_id: id, number: 1, status_reason, is_leaving, is_failed, is_moved }]
        : [];
    }),
  );

const isAtOneOf = ([hostIds, terminalIds]: any[]) => {
  const places = new Set((terminalIds as string[]).map((id, at) => `${hostIds[at]} ${id}`));
  return (task: TaskRow): boolean => places.has(`${task.host_id} ${task.terminal_id}`);
};

const adoptStrays: Answer = (tables, now, places) =>
  [...tables.tasks.values()]
    .filter((task) => task.finished_at === null && task.status <= TaskStatus.QUEUED)
    .filter(isAtOneOf(places))
    .flatMap((task) => {
      const terminal = tables.terminals.get(task.terminal_id);
      if (!terminal || terminal.host_id === null || terminal.deleted_at !== null) return [];
      const since = task.status === TaskStatus.QUEUED ? now : task.state_since;
      tables.setTask(task, { host_id: terminal.host_id, state_since: since });
      return [{ id: task.id }];
    });

const cancelLeftoverTasks: Answer = (tables, now, [result, ...places]) => {
  const isMeant = isAtOneOf(places);
  return endWaiting(tables, now, { to: 6, actor: 'service', result }, (task) => {
    const terminal = tables.terminals.get(task.terminal_id);
    if (!terminal || !isMeant(task)) return false;
    const isDestroying = terminal.status === TerminalStatus.DESTROYING && task.type !== TaskType.TERMINAL_DESTROY;
    return terminal.deleted_at !== null || isDestroying;
  });
};

const failInstallations: Answer = (tables, now, [result, ids]) =>
  endWaiting(
    tables,
    now,
    { to: 5, actor: 'service', result },
    (task) =>
      task.host_id === null && (ids as string[]).includes(task.terminal_id) && task.type === TaskType.TERMINAL_INSTALL,
  );

const failWaitingTasks: Answer = (tables, now, [ids, results]) =>
  (ids as string[]).flatMap((id, place) =>
    endWaiting(
      tables,
      now,
      { to: 5, actor: 'service', result: results[place] as string },
      () => true,
      tables.listOpen(id),
    ),
  );

export const failOverdue: Answer = (tables, now, [result, deadlineMs, limit]) => {
  const { downtime_ended_at: endedAt, queue_downtime: downtimeMs } = tables.scheduler;
  const hourAgo = now - (deadlineMs as number);
  const latest = hourAgo - (endedAt > hourAgo ? downtimeMs : 0);
  const isLate = ({ state_since, available_at }: TaskRow) => Math.max(state_since, available_at ?? 0) < latest;
  const heads = [...tables.tasks.values()].filter(
    (task) => task.finished_at === null && task.status === TaskStatus.QUEUED && task.host_id !== null && isLate(task),
  );
  const overdue = heads.slice(0, limit as number).flatMap((head) => {
    const late = tables
      .listOpen(head.terminal_id)
      .filter((task) => task.status <= TaskStatus.QUEUED && task.host_id === head.host_id && isLate(task))
      .filter((task) => (task.planned_at ?? 0) < latest);
    return late.sort((a, b) => a.status - b.status || b.lane - a.lane || b.seq - a.seq).slice(0, limit as number);
  });
  return [...new Set(overdue.slice(0, limit as number))].map((task) =>
    end(tables, now, task, { to: 5, actor: 'service', result: result as string }),
  );
};

export const listBeforeStops: Answer = (tables, now, [terminalIds]) =>
  [...tables.listAllOpen()].flatMap((open) => {
    const [first] = open;
    const isAsked = terminalIds === null || (terminalIds as string[]).includes(first?.terminal_id ?? '');
    const isHeldUp = open.some(
      ({ lane, status, planned_at: plannedAt }) =>
        lane === 0 && status <= TaskStatus.QUEUED && (plannedAt === null || plannedAt <= now),
    );
    const task = tables.tasks.get(tables.leases.get(first?.terminal_id ?? '')?.task_id ?? '');
    if (!isAsked || !isHeldUp || !task) return [];
    const isInHand = task.status === TaskStatus.DELIVERED || task.status === TaskStatus.RUNNING;
    const isInterruptible =
      interruptibleTypes.includes(task.type) && task.lane > 0 && task.attempts < MAX_INTERRUPTED_ATTEMPTS;
    return isInHand && isInterruptible ? [{ id: task.id }] : [];
  });

export const taskStatements: Answers = {
  claim_tasks: claimTasks,
  list_attempts_before_stops: listBeforeStops,
  lock_tasks: lockTasks,
  apply_transitions: applyTransitions,
  insert_tasks: insertTasks,
  cancel_task: cancelTask,
  cancel_open_tasks: cancelOpenTasks,
  cancel_leftover_tasks: cancelLeftoverTasks,
  fail_hostless_installations: failInstallations,
  fail_overdue_tasks: failOverdue,
  fail_waiting_tasks: failWaitingTasks,
  look_for_stray_tasks: lookForStrays,
  adopt_stray_tasks: adoptStrays,
};
