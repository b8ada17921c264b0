/** The query parameters of the list of all tasks: its filters, and the task shown in the side sheet. */
import { TaskType, type TaskStatusName, type TaskTypeName } from '@berth/client';
import { toOneOf, toPage, toText } from '../../data/search-values.ts';

/** The groups of statuses that a person looks for. */
export const statusGroups = {
  failed: ['FAILED', 'TERMINATED'],
  open: ['PENDING', 'QUEUED', 'DELIVERED', 'RUNNING'],
  done: ['COMPLETED'],
  canceled: ['CANCELED'],
} as const satisfies Record<string, readonly TaskStatusName[]>;
export type StatusGroup = keyof typeof statusGroups;
export const statusGroupNames = Object.keys(statusGroups) as StatusGroup[];

export const typeNames = Object.keys(TaskType) as TaskTypeName[];

export interface TasksSearch {
  page?: number;
  status?: StatusGroup;
  type?: TaskTypeName;
  /** Id of a terminal. */
  terminal?: string;
  /** Id of a project. */
  project?: string;
  /** Id of the task in the side sheet, and of its terminal. */
  task?: string;
  of?: string;
}

export const toTasksSearch = ({
  page,
  status,
  type,
  terminal,
  project,
  task,
  of,
}: Record<string, unknown>): TasksSearch => ({
  ...toPage(page),
  ...toOneOf('status', statusGroupNames, status),
  ...toOneOf('type', typeNames, type),
  ...toText('terminal', terminal),
  ...toText('project', project),
  ...toText('task', task),
  ...toText('of', of),
});

/** The filters alone. */
export const toFilters = ({ status, type, terminal, project }: TasksSearch): TasksSearch => ({
  ...(status === undefined ? {} : { status }),
  ...(type === undefined ? {} : { type }),
  ...(terminal === undefined ? {} : { terminal }),
  ...(project === undefined ? {} : { project }),
});
