import {
  emptyResult,
  toKnownSteps,
  type Task,
  type TaskResult,
  type TaskStatus,
  type TaskStep,
  type TaskType,
} from '@berth/contract';

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

/** The approximate size of a task in an answer, without payload and result. */
export const ROW_BYTES = 512;

/** The columns, in the rows that are whole. */
export const toWhole = (...columns: string[]): string =>
  columns.map((column) => `case when is_whole then ${column} end as ${column}`).join(', ');

const toUnixSeconds = (timestamp: string | null): number | null =>
  timestamp === null ? null : Math.floor(Date.parse(timestamp) / 1000);

/**
 * The link of a screenshot is built here, on each read, from its id alone: nothing that a host sends becomes a link.
 */
const withLink = (step: TaskStep, toFileUrl: (id: string) => string): TaskStep => {
  const file = step.data.file as { id: string } | undefined;
  if (!file) return step;
  const { id, ...facts } = file;
  return { ...step, data: { ...step.data, file: { id, url: toFileUrl(id), ...facts } } };
};

/** Rows of earlier versions hold what hosts said as they said it, so steps are held to the contract here too. */
const toResult = ({ type, result, updated_at }: TaskRow, toFileUrl: (id: string) => string) => {
  if (!result) return { ...emptyResult };
  const steps = toKnownSteps(type, result.runner_result, new Date(updated_at));
  return { ...result, runner_result: steps.map((step) => withLink(step, toFileUrl)) };
};

/** A row in the API's format. @param toFileUrl the URL of a file's content, as the reader reaches it */
export const toTask = (row: TaskRow, toFileUrl: (id: string) => string): Task => {
  const task = {
    ...row,
    result: toResult(row, toFileUrl),
    delivered_at: toUnixSeconds(row.delivered_at),
    started_at: toUnixSeconds(row.started_at),
    finished_at: toUnixSeconds(row.finished_at),
  };
  // Its payload was validated against its type when it was created, its result is above.
  return task as Task;
};
