/** The rows of either store in one shape, ids replaced by the order in which things were made. */
import type { Client } from 'pg';
import type { Tables } from '../store/tables.ts';
import type { Names } from './server-on-store.ts';

type Cell = string | number | boolean | null | object;
export type Rows = Record<string, Cell[][]>;

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint::double precision`;

const text = `select
  coalesce((select json_agg(json_build_array(id, host_id, terminal_id, type, lane, payload, sealed is not null, result, status,
    attempts, actor, ${['planned_at', 'available_at', 'state_since', 'delivered_at', 'started_at', 'finished_at'].map(ms).join(', ')})
    order by seq) from tasks), '[]') as tasks,
  coalesce((select json_agg(json_build_array(id, host_id, status, status_reason, announced_status, server_name, login, path, trading_allowed, trading_reason,
    ${['synced_at', 'waiting_since', 'created_at', 'updated_at', 'deleted_at'].map(ms).join(', ')}) order by id) from terminals), '[]') as terminals,
  coalesce((select json_agg(json_build_array(id, status, terminal_count, memory_capacity, session_id, ${ms('last_seen_at')}) order by id)
    from hosts), '[]') as hosts,
  coalesce((select json_agg(json_build_array(terminal_id, task_id, host_id, session_id, fence, ${ms('expires_at')}, ${ms('deadline_at')})
    order by terminal_id) from task_leases), '[]') as leases,
  coalesce((select json_agg(json_build_array(terminal_id) order by terminal_id) from terminal_secrets), '[]') as passwords,
  coalesce((select json_agg(json_build_array(type || coalesce(data ->> 'count', '1')) order by type || coalesce(data ->> 'count', '1')) from notifications), '[]') as notifications,
  (select json_build_array(json_build_array(${['last_run_at', 'completed_at', 'downtime_ended_at', 'queue_downtime', 'set_back', 'time_lost'].map(ms).join(', ')}))
    from scheduler) as scheduler`;

export const readPostgres = async (client: Client): Promise<Rows> => (await client.query<Rows>(text)).rows[0]!;

const byFirst = (rows: Cell[][]): Cell[][] => rows.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));

export const readMemory = (tables: Tables): Rows => ({
  tasks: [...tables.tasks.values()].map((t) => [
    ...[
      t.id,
      t.host_id,
      t.terminal_id,
      t.type,
      t.lane,
      t.payload,
      t.sealed !== null,
      t.result,
      t.status,
      t.attempts,
      t.actor,
    ],
    ...[t.planned_at, t.available_at, t.state_since, t.delivered_at, t.started_at, t.finished_at],
  ]),
  terminals: byFirst(
    [...tables.terminals.values()].map((t) => [
      ...[
        t.id,
        t.host_id,
        t.status,
        t.status_reason,
        t.announced_status,
        t.server_name,
        t.login,
        t.path,
        t.trading_allowed,
        t.trading_reason,
      ],
      ...[t.synced_at, t.waiting_since, t.created_at, t.updated_at, t.deleted_at],
    ]),
  ),
  hosts: byFirst(
    [...tables.hosts.values()].map((h) => [
      h.id,
      h.status,
      h.terminal_count,
      h.memory_capacity,
      h.session_id,
      h.last_seen_at,
    ]),
  ),
  leases: byFirst(
    [...tables.leases.values()].map((l) => [
      ...[l.terminal_id, l.task_id, l.host_id, l.session_id, l.fence, l.expires_at, l.deadline_at],
    ]),
  ),
  passwords: byFirst([...tables.passwords.keys()].map((id) => [id])),
  notifications: byFirst(tables.notifications.map(({ type, count }) => [`${type}${count}`])),
  scheduler: [Object.values(tables.scheduler) as number[]],
});

/** Names of the values in the rows, in the order of their creation. */
export const toNames = ({ tasks, terminals, hosts }: Rows): Names => {
  const toIds = (rows: Cell[][] | undefined) => (rows ?? []).map(([id]) => id as string);
  return { tasks: toIds(tasks), terminals: toIds(terminals), hosts: toIds(hosts) };
};

/** Rows without the ids that each side makes for itself. */
export const toComparable = (rows: Rows): unknown => {
  const places = new Map((rows.tasks ?? []).map(([id], index) => [id, `task ${index}`]));
  return JSON.parse(JSON.stringify(rows), (_key, value: unknown) => places.get(value as string) ?? value);
};
