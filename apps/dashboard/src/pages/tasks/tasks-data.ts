import { isFinalTaskStatus, taskCatalogue, taskMoves, TaskStatus, toTaskTypeName } from '@berth/contract/values';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { TaskType, type CreatableTaskName, type Task } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { statusGroups, type TasksSearch } from './search.ts';

const words = pageTexts.tasks;
const PER_PAGE = 25;
/** The ones that failed are shown above the others for so long. */
const RECENT_MS = 2 * 86_400_000;
const MAX_RECENT = 4;

/** One page of the list; the one before stays on the screen until it is there. */
export const useTasks = ({ page = 1, status, type, terminal, project }: TasksSearch) => {
  const query = {
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

/** The newest that failed in the last days. */
export const useRecentFailures = (isWanted: boolean) => {
  const query = { per_page: MAX_RECENT, include: 'terminal' as const, status: statusGroups.failed };
  return useQuery({
    queryKey: keys.tasks.list(query),
    queryFn: ({ signal }) => berth.tasks.pageOfAccount(query, { signal }),
    select: ({ data }) => data.filter(({ created_at: at }) => Date.parse(at) > Date.now() - RECENT_MS),
    enabled: isWanted,
  });
};

/** The page of a task's terminal. */
export const toTerminalPath = ({ terminal_id: id }: Pick<Task, 'terminal_id'>): string => `/terminals/${id}`;

/** Why a task cannot be canceled now; undefined where it can. */
export const toWhyNotCancel = ({ status }: Task): string | undefined =>
  taskMoves.some(([from, to]) => from === status && to === TaskStatus.CANCELED) ? undefined : words.whyNotCancel;

/** Why a task cannot be ordered again as it was; undefined where it can. */
export const toWhyNotAgain = ({ type, payload }: Task): string | undefined => {
  if (type === TaskType.TERMINAL_INSTALL) return words.whyNotAgain.install;
  if (type === TaskType.TERMINAL_DESTROY) return words.whyNotAgain.destroy;
  return taskCatalogue[type].secretFields.some((field) => field in payload) ? words.whyNotAgain.secret : undefined;
};

export const isOpen = ({ status }: Task): boolean => !isFinalTaskStatus(status);

export const toTitle = ({ type }: Pick<Task, 'type'>): string => pageTexts.taskWords.types[toTaskTypeName(type)];

/** What its payload says of it in a word or two: the expert, on or off. It is the user's own text. */
export const toDetail = (task: Task): string => {
  switch (task.type) {
    case TaskType.EA_INSTALL:
      return `${task.payload.name}, ${task.payload.symbol} ${task.payload.period}`;
    case TaskType.EA_REMOVE:
    case TaskType.EA_UPDATE:
      return task.payload.name ?? '';
    case TaskType.OPTIONS_AUTO_TRADE:
      return task.payload.allow_algo_trading === 1 ? pageTexts.taskWords.on : pageTexts.taskWords.off;
    case TaskType.OPTIONS_WEB_REQUEST:
      return task.payload.url;
    case TaskType.ACCOUNT_LOGIN:
      return task.payload.login ?? '';
    default:
      return '';
  }
};

const toNamed = (task: Task): string => `${toTitle(task)}, ${isolate(task.terminal_name ?? words.oneTerminal)}`;

const touches = (task: Task) => [keys.tasks.lists, keys.tasks.ofTerminal(task.terminal_id)];

export const useCancelTask = () =>
  useAction({
    run: (task: Task) => berth.tasks.cancel(task.terminal_id, task.id),
    done: (_canceled, task) => words.canceled(toNamed(task)),
    touches,
  });

const orderAgain = ({ terminal_id: terminalId, type, payload }: Task) => {
  // What cannot be created by a user was refused by `toWhyNotAgain`; the payload is the one of this very type.
  const create = berth.tasks.create.bind(berth.tasks) as (
    id: string,
    name: CreatableTaskName,
    payload: object,
  ) => ReturnType<typeof berth.tasks.create>;
  return create(terminalId, toTaskTypeName(type) as CreatableTaskName, payload);
};

export const useRunAgain = () =>
  useAction({ run: orderAgain, done: (_created, task: Task) => words.ordered(toNamed(task)), touches });
