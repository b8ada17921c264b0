/** Task types; the numbers are part of the API. */
export const TaskType = {
  TERMINAL_INSTALL: 0,
  TERMINAL_DESTROY: 1,
  EA_INSTALL: 2,
  EA_REMOVE: 3,
  EA_UPDATE: 4,
  EA_LOGS: 5,
  SCREENSHOT: 6,
  SCREENSHOT_LATENCY: 7,
  ACCOUNT_SERVER: 8,
  ACCOUNT_LOGIN: 9,
  ACCOUNT_LOGOUT: 10,
  ACCOUNT_OPEN_DEMO: 11,
  OPTIONS_AUTO_TRADE: 12,
  OPTIONS_WEB_REQUEST: 13,
  MARKET_WATCH_SHOW_ALL: 14,
  CLOSE_ALL: 100,
  TERMINAL_RESTART: 101,
  TERMINAL_STOP: 102,
  TERMINAL_START: 103,
} as const;

export type TaskTypeName = keyof typeof TaskType;
export type TaskType = (typeof TaskType)[TaskTypeName];

export const taskTypes = Object.values(TaskType);

const names = Object.fromEntries(Object.entries(TaskType).map(([name, type]) => [type, name]));
/**
 * The name of a type.
 * @example
 * import { toTaskTypeName } from '@berth/contract/values';
 * toTaskTypeName(6); // => 'SCREENSHOT'
 */
export const toTaskTypeName = (type: TaskType): TaskTypeName => names[type] as TaskTypeName;

/**
 * True for the number of a type.
 * @example
 * import { isTaskType } from '@berth/contract/values';
 * isTaskType(14); // => true
 * isTaskType('14'); // => false
 */
export const isTaskType = (value: unknown): value is TaskType => taskTypes.some((type) => type === value);

/** Codes of failed steps; stable, so that clients can act on them. */
export const stepCodes = [
  'E_AUTH',
  'E_SERVER_UNKNOWN',
  'E_NO_CONNECTION',
  'E_TIMEOUT',
  'E_DISK',
  'E_MEMORY',
  'E_NOT_RUNNING',
  'E_SYMBOL',
  'E_FILE',
  'E_UNSUPPORTED',
  'E_HOST_LOST',
  'E_INTERNAL',
] as const;
export type StepCode = (typeof stepCodes)[number];

/** One step of a task's `result.runner_result`. */
export interface TaskStep<Data extends object = Record<string, unknown>> {
  /** What was done, a short verb phrase in snake case: `copy_files`, `start_terminal`. */
  step: string;
  ok: boolean;
  /** null when ok. */
  code: StepCode | null;
  message: string;
  /** ISO 8601, when the step ended. */
  at: string;
  data: Data;
}

/** `result.status` */
export const ResultStatus = { OK: 0, FAILED: 1, TIMED_OUT: 2, REFUSED: 3, UNKNOWN: 4 } as const;
export type ResultStatus = (typeof ResultStatus)[keyof typeof ResultStatus];

export interface TaskResult<Data extends object = Record<string, unknown>> {
  runner_result: TaskStep<Data>[];
  status: ResultStatus;
}

/** `result` of a task that has not ended. */
export const emptyResult: TaskResult<never> = { runner_result: [], status: 0 };
