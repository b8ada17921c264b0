/** Data of the page of one terminal. Live events make it stale; measurements have no events. */
import { TaskType, type Task, type TaskStatusName } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isGone } from '../../data/query-client.ts';
import { serverNow } from '../../data/server-clock.ts';
import type { Range, TaskFilter } from './search.ts';

/** As often as a host measures. */
const MEASURED_EVERY_MS = 15_000;
const SAMPLED_EVERY_MS = 60_000;
export const TASKS_PER_PAGE = 20;
const MAX_SCREENSHOTS = 12;
const HOUR_MS = 3_600_000;
export const rangeMs: Record<Range, number> = { day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS };

export const useTerminal = (id: string) =>
  useQuery({
    queryKey: keys.terminals.one(id),
    queryFn: ({ signal }) => berth.terminals.get(id, { include: 'details' }, { signal }),
    refetchInterval: ({ state: { error } }) => (isGone(error) ? false : MEASURED_EVERY_MS),
  });

/** Measurements by minute for the last day, by quarter of an hour for the last week and month. */
export const useSamples = (id: string, range: Range) =>
  useQuery({
    queryKey: keys.terminals.samples(id, { range }),
    queryFn: ({ signal }) => {
      const from = new Date(serverNow() - rangeMs[range]).toISOString();
      return berth.terminals.samples(id, { from, step: range === 'day' ? 1 : 15 }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: SAMPLED_EVERY_MS,
  });

export const useCharts = (id: string) =>
  useQuery({
    queryKey: keys.terminals.charts(id),
    queryFn: ({ signal }) => berth.terminals.charts(id, { signal }),
  });

const statuses: Record<TaskFilter, readonly TaskStatusName[]> = {
  open: ['PENDING', 'QUEUED', 'DELIVERED', 'RUNNING'],
  failed: ['FAILED', 'TERMINATED'],
  done: ['COMPLETED', 'CANCELED'],
};

/** One page of the terminal's tasks, newest first. */
export const useTasks = (id: string, { page, filter }: { page: number; filter: TaskFilter | undefined }) => {
  const query = { page, per_page: TASKS_PER_PAGE, ...(filter === undefined ? {} : { status: statuses[filter] }) };
  return useQuery({
    queryKey: keys.tasks.listOfTerminal(id, query),
    queryFn: ({ signal }) => berth.tasks.pageOfAccount({ ...query, terminal_id: id }, { signal }),
    placeholderData: keepPreviousData,
  });
};

/** The terminal's open tasks, even after a reload. */
export const useOpenTasks = (id: string): readonly Task[] => {
  const { data } = useTasks(id, { page: 1, filter: 'open' });
  return data?.data ?? [];
};

export interface EarlierScreenshot {
  fileId: string;
  takenAt: string;
  width: number;
  height: number;
  taskId: string;
}

const toScreenshot = (task: Task): EarlierScreenshot[] => {
  if (task.type !== TaskType.SCREENSHOT && task.type !== TaskType.SCREENSHOT_LATENCY) return [];
  const file = task.result.runner_result.at(-1)?.data.file;
  return file
    ? [{ fileId: file.id, takenAt: task.updated_at, width: file.width, height: file.height, taskId: task.id }]
    : [];
};

/** The latest screenshots taken by tasks, newest first. */
export const useScreenshots = (id: string) => {
  const query = {
    per_page: MAX_SCREENSHOTS,
    type: ['SCREENSHOT', 'SCREENSHOT_LATENCY'] as const,
    status: ['COMPLETED'] as const,
  };
  return useQuery({
    queryKey: keys.tasks.listOfTerminal(id, query),
    queryFn: ({ signal }) => berth.tasks.pageOfAccount({ ...query, terminal_id: id }, { signal }),
    select: ({ data }) => data.flatMap(toScreenshot),
  });
};
