/** One task: read with its history; and creating a new one. */
import type { CreatableTaskName, CreatedTask, Said, TaskPayloads } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { isGone } from './query-client.ts';
import { showEnd } from './task-effects.ts';

/** Between two tries for a task that could not be read. */
const AGAIN_MS = 3_000;

/** @param id undefined: there is none to read yet */
export const useTask = (terminalId: string, id: string | undefined) =>
  useQuery({
    queryKey: keys.tasks.one(terminalId, id ?? ''),
    queryFn: async ({ signal, client }) => {
      const task = await berth.tasks.get(terminalId, id ?? '', { signal });
      showEnd(client, task);
      return task;
    },
    enabled: id !== undefined,
    // If the first request failed after the last event, its end would never be seen.
    refetchInterval: ({ state: { error } }) => (error === null || isGone(error) ? false : AGAIN_MS),
  });

/** The task's status history. */
export const useHistory = (terminalId: string, id: string) =>
  useQuery({
    queryKey: keys.tasks.history(terminalId, id),
    queryFn: ({ signal }) => berth.tasks.history(terminalId, id, { signal }),
  });

/** A type with its payload. */
export type TaskRequest = {
  [Name in CreatableTaskName]: { type: Name; payload?: TaskPayloads[Name] };
}[CreatableTaskName];

type Create = (terminalId: string, type: CreatableTaskName, payload?: object) => Promise<Said<CreatedTask>>;

/** `TaskRequest` ensures that type and payload match; the client's own signature takes one type at a time. */
export const createTask = (terminalId: string, { type, payload }: TaskRequest): Promise<Said<CreatedTask>> =>
  (berth.tasks.create.bind(berth.tasks) as Create)(terminalId, type, payload);
