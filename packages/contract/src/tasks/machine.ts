/**
 * The task machine: every decision about a task's status, as pure functions of (task, event, now). The database holds
 * the same transitions (`is_task_move`) and refuses any other; a rule test keeps the two equal.
 *
 *   PENDING ─▶ QUEUED ─▶ DELIVERED ─▶ RUNNING ─▶ COMPLETED | FAILED | TERMINATED
 *      └─────────┴─▶ CANCELED   └────────┴─▶ QUEUED (again, after a back-off)
 *
 * The fence is the attempt number: it grows with every delivery, and a report carries the fence of its attempt. A
 * report counts only while the task is DELIVERED or RUNNING under that fence.
 */
import { taskCatalogue } from './catalogue.ts';
import { TaskStatus } from './status.ts';
import { ResultStatus, type StepCode, type TaskResult, type TaskStep, type TaskType } from './types.ts';

export { isFinalTaskStatus, TaskStatus, taskStatuses, toTaskStatusName, type TaskStatusName } from './status.ts';

/** Who changes the status of tasks: their user, the host's agent, the service itself, the operator who retires a host. */
export const taskActors = ['user', 'agent', 'service', 'operator'] as const;

const { PENDING, QUEUED, DELIVERED, RUNNING, COMPLETED, FAILED, CANCELED, TERMINATED } = TaskStatus;

/** Direct transitions: from → to. 4-7 are final. */
export const taskTransitions: readonly (readonly [TaskStatus, TaskStatus])[] = [
  [PENDING, QUEUED],
  [PENDING, CANCELED],
  [QUEUED, DELIVERED],
  [QUEUED, FAILED],
  [QUEUED, CANCELED],
  [DELIVERED, RUNNING],
  [DELIVERED, QUEUED],
  [DELIVERED, FAILED],
  [DELIVERED, TERMINATED],
  [RUNNING, COMPLETED],
  [RUNNING, QUEUED],
  [RUNNING, FAILED],
  [RUNNING, TERMINATED],
];

/** Two direct transitions written as one update; the history still gets both. From → (via) → to. */
export const taskDoubleTransitions: readonly (readonly [TaskStatus, TaskStatus, TaskStatus])[] = [
  [PENDING, QUEUED, DELIVERED],
  [PENDING, QUEUED, FAILED],
  [DELIVERED, RUNNING, COMPLETED],
];

/**
 * An attempt is abandoned when its lease was not renewed for this long. Heartbeats renew it every 5 s: five may be
 * lost.
 */
export const LEASE_MS = 30_000;
/** A delivered task that the agent has not started by then goes back to the queue. */
export const DELIVERED_DEADLINE_MS = 60_000;
/** A queued task that no host claims by then fails. */
export const QUEUED_DEADLINE_MS = 3_600_000;
/** The agent ends an attempt at its deadline; the server only this much later, so that the agent's report wins. */
export const DEADLINE_GRACE_MS = 15_000;
export const MAX_ATTEMPTS = 3;
/** A task that stops have interrupted this often is no longer interrupted: its attempts are counted in a small number. */
export const MAX_INTERRUPTED_ATTEMPTS = 1_000;
/** Back-off after attempt n: 2 s x 2^(n - 1), less up to half of it at random. */
export const RETRY_BASE_MS = 2_000;

/** Failures that may be temporary. Never E_AUTH: repeating a wrong password locks accounts. */
const RETRYABLE_CODES: ReadonlySet<StepCode> = new Set(['E_TIMEOUT', 'E_NO_CONNECTION', 'E_HOST_LOST', 'E_MEMORY']);

export interface TaskState {
  type: TaskType;
  status: TaskStatus;
  /** Attempts so far; also the fence of the current attempt. */
  attempts: number;
}

/**
 * How an attempt ended, as reported by its host. The same type throughout: drivers return it, the journal stores it, a
 * report carries it, and the decision about the task is based on it.
 */
export type ReportedEnd =
  | { kind: 'completed' | 'failed'; steps: TaskStep[] }
  /** The time allowed for the attempt is over. Never repeated: what took too long once takes too long again. */
  | { kind: 'timed_out'; steps: TaskStep[] }
  /** The agent found the attempt interrupted (it crashed, or was asked to stop): how far it got is unknown. */
  | { kind: 'interrupted' };

/**
 * The same, or what the service determined: no sign of the host for too long, or a stop that the attempt gives way to
 * (`stops.ts`).
 */
export type AttemptEnd = ReportedEnd | { kind: 'lease_lost' } | { kind: 'preempted' };

/** What happens to a task whose attempt ended: its end, or another try. */
export type EndDecision =
  | { status: typeof COMPLETED | typeof FAILED | typeof TERMINATED; result: TaskResult }
  | { status: typeof QUEUED; delayMs: number };

/**
 * True when a report under this fence is about the current attempt.
 * @example
 * import { isCurrentFence, TaskStatus } from '@berth/contract';
 * isCurrentFence({ status: TaskStatus.RUNNING, attempts: 2 }, 2); // => true
 * isCurrentFence({ status: TaskStatus.RUNNING, attempts: 2 }, 1); // => false
 */
export const isCurrentFence = (task: Pick<TaskState, 'status' | 'attempts'>, fence: number): boolean =>
  (task.status === DELIVERED || task.status === RUNNING) && task.attempts === fence;

const toServiceStep = (step: string, code: StepCode, message: string, now: Date): TaskStep => ({
  step,
  ok: false,
  code,
  message,
  at: now.toISOString(),
  data: {},
});

const toRetryDelayMs = (attempts: number, random: number): number => {
  const ceilingMs = RETRY_BASE_MS * 2 ** (attempts - 1);
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
};

const lastCode = (steps: TaskStep[]): StepCode | null => steps.at(-1)?.code ?? null;

const endTexts = {
  interrupted: ['interrupted', 'E_HOST_LOST', 'The agent was interrupted while it carried out the task.'],
  lease_lost: ['lost', 'E_HOST_LOST', 'The host went offline while it carried out the task.'],
  preempted: ['interrupt', 'E_HOST_LOST', 'The task was interrupted by a stop.'],
  timed_out: ['deadline', 'E_TIMEOUT', 'The task did not end within its deadline.'],
} as const;

const toFinal = (
  status: typeof COMPLETED | typeof FAILED | typeof TERMINATED,
  resultStatus: ResultStatus,
  steps: TaskStep[],
): EndDecision => ({ status, result: { runner_result: steps, status: resultStatus } });

const isRetryable = (end: AttemptEnd): boolean => {
  if (end.kind === 'completed' || end.kind === 'timed_out') return false;
  if (end.kind !== 'failed') return true;
  const code = lastCode(end.steps);
  return code !== null && RETRYABLE_CODES.has(code);
};

/**
 * Decides what happens to a delivered or running task whose attempt ended.
 * @param random uniform in [0, 1), for the jitter of the back-off
 * @example
 * import { decideAttemptEnd, TaskStatus, TaskType } from '@berth/contract';
 * const task = { type: TaskType.SCREENSHOT, status: TaskStatus.RUNNING, attempts: 1 };
 * decideAttemptEnd(task, { kind: 'lease_lost' }, new Date(), 0.5); // => { status: TaskStatus.QUEUED, delayMs: 1500 }
 */
export const decideAttemptEnd = (task: TaskState, end: AttemptEnd, now: Date, random: number): EndDecision => {
  if (end.kind === 'completed') return toFinal(COMPLETED, ResultStatus.OK, end.steps);
  const { isRepeatable } = taskCatalogue[task.type];
  // It was nobody's failure: however often it was interrupted, it comes to its turn.
  if (end.kind === 'preempted' && isRepeatable && task.attempts < MAX_INTERRUPTED_ATTEMPTS)
    return { status: QUEUED, delayMs: 0 };
  if (isRetryable(end) && isRepeatable && task.attempts < MAX_ATTEMPTS) {
    return { status: QUEUED, delayMs: toRetryDelayMs(task.attempts, random) };
  }
  if (end.kind === 'failed') {
    const isTimeout = lastCode(end.steps) === 'E_TIMEOUT';
    return toFinal(FAILED, isTimeout ? ResultStatus.TIMED_OUT : ResultStatus.FAILED, end.steps);
  }
  const [step, code, message] = endTexts[end.kind];
  const known = end.kind === 'timed_out' ? end.steps : [];
  const steps = known.length > 0 ? known : [toServiceStep(step, code, message, now)];
  if (!isRepeatable) return toFinal(TERMINATED, ResultStatus.UNKNOWN, steps);
  return toFinal(FAILED, end.kind === 'timed_out' ? ResultStatus.TIMED_OUT : ResultStatus.FAILED, steps);
};

/** The result of a task that ended without an agent's report. */
export const toServiceResult = (
  status: ResultStatus,
  step: string,
  code: StepCode,
  message: string,
  now: Date,
): TaskResult => ({
  runner_result: [toServiceStep(step, code, message, now)],
  status,
});

/** Milliseconds that a task may stay in the state, as enforced by the server. */
export const toDeadlineMs = (status: typeof DELIVERED | typeof RUNNING, type: TaskType): number =>
  status === DELIVERED ? DELIVERED_DEADLINE_MS : taskCatalogue[type].runningDeadlineMs + DEADLINE_GRACE_MS;
