import { emptyResult, type Task, type TaskResult, type TaskStatus, type TaskType } from '@berth/contract';

export interface TaskRow {
  id: string;
  user_id: string;
  host_id: string | null;
  terminal_id: string;
  chart_id: string | null;
  type: TaskType;
  payload: Record<string, unknown>;
  result: TaskResult | null;
  status: TaskStatus;
  attempts: number;
  planned_at: string | null;
  delivered_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export const taskColumns = `id, user_id, host_id, terminal_id, chart_id, type, payload, result, status, attempts, planned_at,
  delivered_at, started_at, finished_at, created_at, updated_at, deleted_at`;

const toUnixSeconds = (timestamp: string | null): number | null =>
  timestamp === null ? null : Math.floor(Date.parse(timestamp) / 1000);

/** A row as the interface shows it. */
export const toTask = (row: TaskRow): Task => ({
  ...row,
  result: { ...(row.result ?? emptyResult) },
  delivered_at: toUnixSeconds(row.delivered_at),
  started_at: toUnixSeconds(row.started_at),
  finished_at: toUnixSeconds(row.finished_at),
});
