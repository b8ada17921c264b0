/** Mirrors of the statements in scheduler/queries.ts and downtime.ts. */
import { HostStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import type { Answer, Answers } from './memory-database.ts';
import type { TaskRow, Tables } from './tables.ts';

const MINUTE_MS = 60_000;
/** A head that became available this recently is announced (again). */
const ANNOUNCED_MS = 5_000;

const DAY_MS = 86_400_000;
const MAX_DOWNTIME_MS = 3_650 * DAY_MS;

export const noteTick: Answer = (tables, now, [downtimeMs, deadlineMs]) => {
  const { scheduler } = tables;
  const gapMs = now - scheduler.last_run_at;
  tables.set(scheduler, { last_run_at: now });
  if (Math.abs(gapMs) > (downtimeMs as number)) {
    const isOver = now - gapMs - (deadlineMs as number) > scheduler.downtime_ended_at;
    tables.set(scheduler, {
      downtime_ended_at: now,
      queue_downtime: Math.min(MAX_DOWNTIME_MS, Math.max(0, gapMs) + (isOver ? 0 : scheduler.queue_downtime)),
      time_lost: Math.min(MAX_DOWNTIME_MS, Math.max(-MAX_DOWNTIME_MS, scheduler.time_lost + gapMs)),
      set_back: gapMs < 0 ? Math.min(MAX_DOWNTIME_MS, scheduler.set_back - gapMs) : scheduler.set_back,
    });
  }
  return [{ is_set_back: scheduler.set_back > 0 }];
};

const shiftQueued: Answer = (tables, now, [limit]) => {
  const { set_back: backMs } = tables.scheduler;
  const late = [...tables.tasks.values()].filter(
    (task) => task.finished_at === null && task.status === TaskStatus.QUEUED && task.state_since > now,
  );
  return late.slice(0, limit as number).map((task) => {
    const availableAt = task.available_at === null ? null : task.available_at - backMs;
    tables.setTask(task, { state_since: Math.min(now, task.state_since - backMs), available_at: availableAt });
    return { id: task.id };
  });
};

export const followClock: Answer = (tables, now, [leaseMs]) => {
  const { scheduler } = tables;
  for (const host of tables.hosts.values()) {
    if (host.status === HostStatus.ONLINE && host.last_seen_at !== null && host.last_seen_at > now) {
      tables.set(host, { last_seen_at: now });
    }
  }
  for (const lease of tables.leases.values()) {
    const isOld = lease.deadline_at > scheduler.downtime_ended_at + scheduler.set_back;
    const deadlineAt = lease.deadline_at - (isOld ? scheduler.set_back : 0);
    tables.set(lease, {
      expires_at: Math.min(lease.expires_at, now + (leaseMs as number)),
      deadline_at: deadlineAt,
    });
  }
  tables.set(scheduler, { set_back: 0 });
  return [];
};

const markLost: Answer = (tables, now, [lostMs]) => {
  const before = now - (lostMs as number);
  if (tables.scheduler.downtime_ended_at >= before) return [];
  return [...tables.hosts.values()]
    .filter(({ status, last_seen_at: seenAt }) => status === HostStatus.ONLINE && seenAt !== null && seenAt < before)
    .map((host) => {
      tables.set(host, { status: HostStatus.LOST });
      return { id: host.id, name: host.name };
    });
};

export const listExpired: Answer = (tables, now, [limit, graceMs]) => {
  if (tables.scheduler.downtime_ended_at >= now - (graceMs as number)) return [];
  return [...tables.leases.values()]
    .filter((lease) => lease.expires_at < now || lease.deadline_at < now)
    .slice(0, limit as number)
    .map((lease) => ({ task_id: lease.task_id, is_lease_lost: lease.expires_at < now }));
};

const deleteOrphans: Answer = (tables) => {
  for (const lease of [...tables.leases.values()]) {
    const task = tables.tasks.get(lease.task_id);
    if (task && task.status !== TaskStatus.DELIVERED && task.status !== TaskStatus.RUNNING)
      tables.remove(tables.leases, lease.terminal_id);
  }
  return [];
};

const listHeads = (tables: Tables, now: number): TaskRow[] => {
  const heads: TaskRow[] = [];
  for (const open of tables.listAllOpen()) {
    const before = heads.length;
    for (const task of open) {
      if (task.host_id === null || (task.planned_at !== null && task.planned_at > now)) continue;
      if (!heads.some(({ host_id: hostId }, index) => index >= before && hostId === task.host_id)) heads.push(task);
    }
  }
  return heads.sort((a, b) => a.seq - b.seq);
};

export const promoteTasks: Answer = (tables, now) => {
  const heads = listHeads(tables, now);
  const due = heads.filter(({ status, available_at: availableAt, state_since: since }) => {
    const at = availableAt ?? since;
    return status === TaskStatus.PENDING || (status === TaskStatus.QUEUED && at >= now - ANNOUNCED_MS && at <= now);
  });
  const hosts = [...new Set(due.map((task) => task.host_id))];
  for (const task of heads) {
    if (task.status !== TaskStatus.PENDING || tables.leases.has(task.terminal_id)) continue;
    tables.setTask(task, { status: TaskStatus.QUEUED, actor: 'service', state_since: now });
  }
  return hosts.map((id) => ({ host_id: id }));
};

const listHostless: Answer = (tables) =>
  [...tables.terminals.values()]
    .filter(
      ({ status, host_id: hostId, deleted_at: deletedAt }) =>
        status === TerminalStatus.DESTROYING && hostId === null && deletedAt === null,
    )
    .map(({ id }) => ({ id }));

const listStuck: Answer = (tables, now) =>
  [...tables.terminals.values()]
    .filter((terminal) => {
      const isWaiting =
        terminal.status === TerminalStatus.DESTROYING && terminal.host_id !== null && terminal.deleted_at === null;
      if (!isWaiting || terminal.updated_at >= now - MINUTE_MS) return false;
      for (const task of tables.tasks.values()) {
        if (task.terminal_id !== terminal.id) continue;
        if (task.host_id === terminal.host_id && task.finished_at === null) return false;
        if (
          task.type === TaskType.TERMINAL_DESTROY &&
          task.finished_at !== null &&
          task.finished_at > now - 5 * MINUTE_MS
        )
          return false;
      }
      return true;
    })
    .map(({ id, user_id: userId }) => ({ id, user_id: userId }));

export const schedulerStatements: Answers = {
  take_turn: ({ scheduler }, now, [elapsedMs, downtimeMs]) => {
    const differenceMs = Math.abs(now - scheduler.last_run_at - (elapsedMs as number));
    const isInTime = differenceMs <= (downtimeMs as number);
    return [{ is_ours: true, completed_at: String(scheduler.completed_at), is_in_time: isInTime }];
  },
  take_tidying_turn: () => [{ is_ours: true }],
  note_tick: noteTick,
  shift_queued_tasks: shiftQueued,
  follow_clock: followClock,
  complete_tick: (tables, now, [elapsedMs]) => {
    const { scheduler } = tables;
    const { last_run_at: lastAt } = scheduler;
    const lastRunAt = Math.max(lastAt, Math.min(now, lastAt + (elapsedMs as number)));
    tables.set(scheduler, { completed_at: now, last_run_at: lastRunAt });
    return [];
  },
  mark_lost_hosts: markLost,
  list_expired_leases: listExpired,
  delete_orphaned_leases: deleteOrphans,
  promote_tasks: promoteTasks,
  list_hostless_destructions: listHostless,
  list_stuck_destructions: listStuck,
};
