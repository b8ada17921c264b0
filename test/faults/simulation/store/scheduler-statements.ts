/** Mirrors of the statements in scheduler/queries.ts, and of the janitor's, which touch nothing that is simulated. */
import type { TaskResult } from '@berth/contract';
import type { Answer, Answers } from './memory-database.ts';
import type { TaskRow, Tables } from './tables.ts';

const MINUTE_MS = 60_000;
/** A head that became available this recently is announced (again). */
const ANNOUNCED_MS = 5_000;

const noteTick: Answer = (tables, now) => {
  const gapMs = Math.fround((now - tables.schedulerRanAt) / 1000) * 1000;
  const before = tables.schedulerRanAt;
  tables.undo?.push(() => (tables.schedulerRanAt = before));
  tables.schedulerRanAt = now;
  return [{ gap_ms: gapMs }];
};

export const grantGrace: Answer = (tables, now, [graceMs, gap]) => {
  const gapMs = gap as number;
  const backMs = Math.min(0, gapMs);
  for (const host of tables.hosts.values()) if (host.status === 1) tables.set(host, { last_seen_at: now });
  for (const task of tables.tasks.values()) {
    if (task.finished_at !== null || task.status !== 1 || (gapMs <= 0 && task.state_since <= now)) continue;
    const availableAt = task.available_at === null ? null : task.available_at + backMs;
    tables.setTask(task, { state_since: Math.min(now, task.state_since + gapMs), available_at: availableAt });
  }
  const untilMs = now + (graceMs as number);
  for (const lease of tables.leases.values()) {
    const deadlineAt = lease.deadline_at + (lease.deadline_at > now - backMs ? backMs : 0);
    const expiresAt = Math.max(lease.expires_at + backMs, untilMs);
    tables.set(lease, { expires_at: expiresAt, deadline_at: Math.max(deadlineAt, untilMs) });
  }
  return [];
};

const markLost: Answer = (tables, now, [lostMs]) =>
  [...tables.hosts.values()]
    .filter(({ status, last_seen_at: seenAt }) => status === 1 && seenAt !== null && seenAt < now - (lostMs as number))
    .map((host) => {
      tables.set(host, { status: 2 });
      return { id: host.id, name: host.name };
    });

export const listExpired: Answer = (tables, now, [limit]) =>
  [...tables.leases.values()]
    .filter((lease) => lease.expires_at < now || lease.deadline_at < now)
    .slice(0, limit as number)
    .map((lease) => ({ task_id: lease.task_id, is_lease_lost: lease.expires_at < now }));

const deleteOrphans: Answer = (tables) => {
  for (const lease of [...tables.leases.values()]) {
    const task = tables.tasks.get(lease.task_id);
    if (task && task.status !== 2 && task.status !== 3) tables.remove(tables.leases, lease.terminal_id);
  }
  return [];
};

const listHeads = (tables: Tables, now: number): TaskRow[] => {
  const places = new Map<string, TaskRow>();
  const heads: TaskRow[] = [];
  for (const task of tables.tasks.values()) {
    if (task.finished_at !== null || task.host_id === null) continue;
    if (task.planned_at !== null && task.planned_at > now) continue;
    const place = `${task.host_id} ${task.terminal_id}`;
    if (places.has(place)) continue;
    places.set(place, task);
    heads.push(task);
  }
  return heads;
};

export const promoteTasks: Answer = (tables, now) => {
  const heads = listHeads(tables, now);
  const due = heads.filter(({ status, available_at: availableAt, state_since: since }) => {
    const at = availableAt ?? since;
    return status === 0 || (status === 1 && at >= now - ANNOUNCED_MS && at <= now);
  });
  const hosts = [...new Set(due.map((task) => task.host_id))];
  for (const task of heads) {
    if (task.status !== 0 || tables.leases.has(task.terminal_id)) continue;
    tables.setTask(task, { status: 1, actor: 'service', state_since: now });
  }
  return hosts.map((id) => ({ host_id: id }));
};

const failOverdue: Answer = (tables, now, [deadlineMs, result]) =>
  [...tables.tasks.values()]
    .filter((task) => {
      const since = Math.max(task.state_since, task.available_at ?? task.state_since);
      return task.finished_at === null && task.status === 1 && since < now - (deadlineMs as number);
    })
    .map((task) => {
      const ended = { finished_at: now, state_since: now, result: JSON.parse(result as string) as TaskResult };
      tables.setTask(task, { status: 5, actor: 'service', sealed: null, ...ended });
      return { id: task.id, user_id: task.user_id, terminal_id: task.terminal_id, type: task.type };
    });

const listHostless: Answer = (tables) =>
  [...tables.terminals.values()]
    .filter(
      ({ status, host_id: hostId, deleted_at: deletedAt }) => status === 8 && hostId === null && deletedAt === null,
    )
    .map(({ id }) => ({ id }));

const listStuck: Answer = (tables, now) =>
  [...tables.terminals.values()]
    .filter((terminal) => {
      const isWaiting = terminal.status === 8 && terminal.host_id !== null && terminal.deleted_at === null;
      if (!isWaiting || terminal.updated_at >= now - MINUTE_MS) return false;
      for (const task of tables.tasks.values()) {
        if (task.terminal_id !== terminal.id) continue;
        if (task.host_id === terminal.host_id && task.finished_at === null) return false;
        if (task.type === 1 && task.finished_at !== null && task.finished_at > now - 5 * MINUTE_MS) return false;
      }
      return true;
    })
    .map(({ id, user_id: userId }) => ({ id, user_id: userId }));

const nothing: Answer = () => [];

export const schedulerStatements: Answers = {
  take_turn: () => [{ is_ours: true }],
  note_tick: noteTick,
  grant_grace: grantGrace,
  mark_lost_hosts: markLost,
  list_expired_leases: listExpired,
  delete_orphaned_leases: deleteOrphans,
  promote_tasks: promoteTasks,
  fail_overdue_tasks: failOverdue,
  list_hostless_destructions: listHostless,
  list_stuck_destructions: listStuck,
  drop_old_idempotency_keys: nothing,
  drop_expired_join_tokens: nothing,
  drop_expired_password_resets: nothing,
  drop_old_watchers: nothing,
  drop_old_terminals: nothing,
  delete_expired_files: nothing,
};
