import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Task } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { serverNow } from '../../data/server-clock.ts';
import { statusGroups, type TasksSearch } from './search.ts';

const PER_PAGE = 25;
/** How long failures are shown above the others. */
const RECENT_MS = 2 * 86_400_000;
const MAX_RECENT = 4;

/**
 * One page of the list; the previous one stays visible until it is loaded. A run on many terminals is one entry of it,
 * unless it is filtered by what may be different on each terminal.
 */
export const useTasks = ({ page = 1, status, type, terminal, project }: TasksSearch) => {
  const isFolded = status === undefined && terminal === undefined && project === undefined;
  const query = {
    ...(isFolded ? { one_per_run: true } : {}),
    page,
    per_page: PER_PAGE,
    include: 'terminal' as const,
    ...(status === undefined ? {} : { status: statusGroups[status] }),
    ...(type === undefined ? {} : { type: [type] }),
    ...(terminal === undefined ? {} : { terminal_id: terminal }),
    ...(project === undefined ? {} : { project_id: project }),
  };
  return useQuery({
    queryKey: keys.tasks.list(query),
    queryFn: ({ signal }) => berth.tasks.pageOfAccount(query, { signal }),
    placeholderData: keepPreviousData,
  });
};

/** The newest failures of the last days. */
export const useRecentFailures = (isWanted: boolean) => {
  const query = { per_page: MAX_RECENT, include: 'terminal' as const, status: statusGroups.failed };
  return useQuery({
    queryKey: keys.tasks.list(query),
    queryFn: ({ signal }) => berth.tasks.pageOfAccount(query, { signal }),
    select: ({ data }) => data.filter(({ created_at: at }) => Date.parse(at) > serverNow() - RECENT_MS),
    enabled: isWanted,
  });
};

/** The page of a task's terminal. */
export const toTerminalPath = ({ terminal_id: id }: Pick<Task, 'terminal_id'>): string => `/terminals/${id}`;
