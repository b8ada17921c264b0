/**
 * Checks what a host reports about the end of an attempt: the report against the contract, screenshots against the
 * files that the task uploaded, and success against the reported facts.
 */
import { toKnownSteps, type AgentEvent, type ReportedEnd, type TaskStep } from '@berth/contract';
import type { ReportedFile } from '../files/queries.ts';
import { isUuid } from '../validation/uuid.ts';
import type { LockedTask } from './outcomes.ts';
import { findDoubt, type Asked, type Facts } from './proofs.ts';

/** Files that hosts uploaded for tasks, or that tasks were given, by id. */
export type ReportedFiles = ReadonlyMap<string, ReportedFile>;

const findScreenshot = ({ file }: Facts): { id: string } | undefined => {
  const id = (file as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && isUuid(id) ? { id: id.toLowerCase() } : undefined;
};

/** The files that the events name as screenshots, or that their tasks were given, whoever owns them. */
export const listFileIds = (events: readonly AgentEvent[], tasks: Iterable<LockedTask>): string[] => {
  const steps = events.flatMap((event) => event.steps ?? []);
  const screenshots = steps.flatMap(({ data }) => findScreenshot(data)?.id ?? []);
  const given = [...tasks].map(({ payload }) => String(payload.file_id).toLowerCase()).filter(isUuid);
  return [...new Set([...screenshots, ...given])];
};

/**
 * The screenshot with what the server itself knows about it. One that this task did not upload for its user is dropped.
 */
const withOwnScreenshot = (task: LockedTask, step: TaskStep, files: ReportedFiles): TaskStep => {
  if (step.data.file === undefined) return step;
  const { file, ...others } = step.data;
  const known = files.get(findScreenshot(step.data)?.id ?? '');
  if (known?.task_id !== task.id || known.user_id !== task.user_id) return { ...step, data: others };
  const { id, sha256, size: bytes, type } = known;
  return { ...step, data: { file: { ...(file as object), id, sha256, bytes, type }, ...others } };
};

/** The file that the task was given, as stored on the server. */
const findGivenFile = ({ user_id: userId, payload }: LockedTask, files: ReportedFiles): ReportedFile | undefined => {
  const file = files.get(String(payload.file_id).toLowerCase());
  return file?.user_id === userId ? file : undefined;
};

/** The steps of a task that the host reports as done without proof. */
const toUnproven = (steps: TaskStep[], message: string, now: Date): TaskStep[] => {
  const { step = 'carry_out', at = now.toISOString(), data = {} } = steps.at(-1) ?? {};
  return [...steps.slice(0, -1), { step, ok: false, code: 'E_TIMEOUT', message, at, data }];
};

export interface KnownOfReports {
  files: ReportedFiles;
  /** The terminal of the task, where its end changes it. */
  account: Asked['account'];
  now: Date;
}

/**
 * The end of an attempt as reported by an event. It is successful only where the facts of the last step prove it. Pure.
 */
export const toReportedEnd = (
  task: LockedTask,
  event: AgentEvent,
  { files, account, now }: KnownOfReports,
): ReportedEnd => {
  const { kind } = event;
  const steps = toKnownSteps(task.type, event.steps ?? [], now).map((step) => withOwnScreenshot(task, step, files));
  if (kind === 'failed' || kind === 'timed_out') return { kind, steps };
  if (kind !== 'completed') return { kind: 'interrupted' };
  const last = steps.at(-1);
  if (last?.ok === false && last.code !== null) return { kind: 'failed', steps };
  const asked = { payload: task.payload, account, sha256: findGivenFile(task, files)?.sha256 };
  const doubt = findDoubt(task.type, last?.ok ? last.data : {}, asked);
  return doubt === undefined ? { kind, steps } : { kind: 'failed', steps: toUnproven(steps, doubt, now) };
};
