/**
 * A log is read by a task, and only on request. The last task that read the same log is shown immediately, even after a
 * reload; only the lines of one task are kept: at most a thousand.
 */
import { TaskStatus, TaskType, type Task } from '@berth/client';
import { isFinalTaskStatus } from '@berth/contract/values';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { createTask, useTask } from '../../../data/tasks.ts';
import type { LogRequest } from './log-choice.ts';

type LogTask = Extract<Task, { type: typeof TaskType.EA_LOGS }>;

/** How many of the tasks that read a log are searched for one that read the same. */
const LOOKED_THROUGH = 5;
const isLogTask = (task: Task): task is LogTask => task.type === TaskType.EA_LOGS;

const isSame = ({ payload }: LogTask, { source, date, contains }: LogRequest): boolean =>
  (payload.source ?? 'experts') === source && payload.date === date && payload.contains === contains;

const useLogTask = (terminalId: string, id: string | undefined): LogTask | undefined => {
  const { data } = useTask(terminalId, id);
  return data && isLogTask(data) ? data : undefined;
};

/** The newest task that read the same log, if it is among the last ones. */
const useEarlier = (terminalId: string, request: LogRequest) => {
  const { data, isPending, isFetching } = useQuery({
    queryKey: keys.tasks.listOfTerminal(terminalId, { logs: request }),
    queryFn: async ({ signal }) => {
      const query = { type: 'EA_LOGS', status: 'COMPLETED', per_page: LOOKED_THROUGH } as const;
      const { data: tasks } = await berth.tasks.page(terminalId, query, { signal });
      const same = tasks.find((task): task is LogTask => isLogTask(task) && isSame(task, request));
      return same ? { id: same.id } : null;
    },
    // Searched for once: from then on the tasks that are created here are followed.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const [wasLookedFor, setLookedFor] = useState(false);
  // A cached result may be older than the read that was requested then, and would request another one.
  const isLookedFor = wasLookedFor || (!isPending && !isFetching);
  if (isLookedFor && !wasLookedFor) setLookedFor(true);
  return { earlier: data ?? undefined, isLookedFor };
};

/**
 * Reads a log, and reads it again. Give the component another `key` for another log.
 * @param isAsked this log was already requested, for example by a search of the whole day
 */
export const useReadLog = (terminalId: string, request: LogRequest, whyNot: string | undefined, isAsked: boolean) => {
  const { earlier, isLookedFor } = useEarlier(terminalId, request);
  const [ids, setIds] = useState<{ shown?: string; pending?: string }>({});
  const pending = useLogTask(terminalId, ids.pending);
  const shown = useLogTask(terminalId, ids.shown ?? earlier?.id);
  const hasEnded = pending !== undefined && isFinalTaskStatus(pending.status);
  const task = pending?.status === TaskStatus.COMPLETED ? pending : shown;
  const read = useAction({
    run: (_: undefined) => createTask(terminalId, { type: 'EA_LOGS', payload: request }),
    touches: () => [keys.tasks.lists],
    onDone: ({ id }) => setIds((old) => ({ ...old, ...(task === undefined ? {} : { shown: task.id }), pending: id })),
  });
  const isReading = read.isRunning || (ids.pending !== undefined && !hasEnded);
  const isWanted = isAsked && isLookedFor && ids.pending === undefined && whyNot === undefined;
  const { run, error } = read;
  useEffect(() => {
    if (isWanted && error === null) run(undefined);
    // Once for each requested log: a change of the terminal must not read it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [isLookedFor]);
  return {
    task,
    failed: hasEnded && pending.status !== TaskStatus.COMPLETED ? pending : undefined,
    isReading,
    isFirst: task === undefined && (!isLookedFor || isReading),
    read: () => (isReading || whyNot !== undefined ? undefined : run(undefined)),
  };
};
