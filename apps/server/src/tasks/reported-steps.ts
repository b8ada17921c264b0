/**
 * What a host says of an attempt's end: its words are held to the contract, and its pictures to the files that the task
 * uploaded.
 */
import { TaskType, toKnownSteps, type AgentEvent, type ReportedEnd, type TaskStep } from '@berth/contract';
import type { TaskFile } from '../files/queries.ts';
import { isUuid } from '../validation/uuid.ts';
import type { LockedTask } from './outcomes.ts';

/** What hosts uploaded for tasks, by id. */
export type UploadedFiles = ReadonlyMap<string, TaskFile>;

type Facts = TaskStep['data'];

const findPicture = ({ file }: Facts): { id: string } | undefined => {
  const id = (file as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && isUuid(id) ? { id: id.toLowerCase() } : undefined;
};

/** The files that the events name as pictures, of whatever owner. */
export const listPictureIds = (events: readonly AgentEvent[]): string[] => {
  const steps = events.flatMap((event) => event.steps ?? []);
  return [...new Set(steps.flatMap(({ data }) => findPicture(data)?.id ?? []))];
};

/** The picture with what the server itself knows of it. One that this very task did not upload for its user is left out. */
const withOwnPicture = (task: LockedTask, step: TaskStep, files: UploadedFiles): TaskStep => {
  if (step.data.file === undefined) return step;
  const { file, ...others } = step.data;
  const known = files.get(findPicture(step.data)?.id ?? '');
  if (known?.task_id !== task.id || known.user_id !== task.user_id) return { ...step, data: others };
  const { id, sha256, size: bytes, type } = known;
  return { ...step, data: { file: { ...(file as object), id, sha256, bytes, type }, ...others } };
};

/** What acts on trading is done only where its host saw that it is. */
const isProven = ({ type, payload }: LockedTask, data: Facts | undefined): boolean =>
  type !== TaskType.OPTIONS_AUTO_TRADE ||
  (data?.verified === true && data.enabled === (payload.allow_algo_trading === 1));

const UNPROVEN = 'The terminal did not confirm the switch. Take a screenshot to see its state, then repeat the task.';

/** The steps of a task whose host says that it is done without having seen that. */
const toUnproven = (steps: TaskStep[], now: Date): TaskStep[] => {
  const { step = 'carry_out', at = now.toISOString(), data = {} } = steps.at(-1) ?? {};
  return [...steps.slice(0, -1), { step, ok: false, code: 'E_TIMEOUT', message: UNPROVEN, at, data }];
};

/** The end of an attempt as an event tells it. Pure. */
export const toReportedEnd = (
  task: LockedTask,
  event: AgentEvent,
  { files, now }: { files: UploadedFiles; now: Date },
): ReportedEnd => {
  const steps = toKnownSteps(task.type, event.steps ?? [], now).map((step) => withOwnPicture(task, step, files));
  const { kind } = event;
  if (kind === 'completed' && !isProven(task, steps.at(-1)?.data)) {
    return { kind: 'failed', steps: toUnproven(steps, now) };
  }
  return kind === 'completed' || kind === 'failed' || kind === 'timed_out' ? { kind, steps } : { kind: 'interrupted' };
};
