/**
 * What a host says of an attempt's end: its words are held to the contract, and its pictures to the files that the task
 * uploaded.
 */
import { toKnownSteps, type AgentEvent, type ReportedEnd, type TaskStep } from '@berth/contract';
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

/** The end of an attempt as an event tells it. Pure. */
export const toReportedEnd = (
  task: LockedTask,
  event: AgentEvent,
  { files, now }: { files: UploadedFiles; now: Date },
): ReportedEnd => {
  const steps = toKnownSteps(task.type, event.steps ?? [], now).map((step) => withOwnPicture(task, step, files));
  const { kind } = event;
  return kind === 'completed' || kind === 'failed' || kind === 'timed_out' ? { kind, steps } : { kind: 'interrupted' };
};
