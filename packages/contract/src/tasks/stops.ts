/**
 * Stops: tasks that end trading, and so go before everything that waits on their terminal. What runs there is
 * interrupted for them where it may be. The other way round there is the lock: it keeps a terminal from trading again.
 */
import { taskCatalogue } from './catalogue.ts';
import { TaskType } from './types.ts';

type Payload = Record<string, unknown>;

/** The payload with which a type belongs to a group; undefined: any. */
type Members = readonly (readonly [TaskType, allowAlgoTrading?: 0 | 1])[];

export const stopTypes: Members = [[TaskType.CLOSE_ALL], [TaskType.OPTIONS_AUTO_TRADE, 0], [TaskType.TERMINAL_STOP]];

/** What a locked terminal refuses: logins, experts, trading, and the start that would bring them back. */
export const lockedTypes: Members = [
  [TaskType.ACCOUNT_LOGIN],
  [TaskType.ACCOUNT_OPEN_DEMO],
  [TaskType.EA_INSTALL],
  [TaskType.EA_UPDATE],
  [TaskType.OPTIONS_AUTO_TRADE, 1],
  [TaskType.TERMINAL_START],
];

/** What starts the program of a terminal: a host that is being drained refuses it. */
export const startingTypes: readonly TaskType[] = [
  TaskType.TERMINAL_START,
  TaskType.TERMINAL_RESTART,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_OPEN_DEMO,
];

const isMember = (members: Members, type: TaskType, { allow_algo_trading: allowed }: Payload): boolean =>
  members.some(([member, wanted]) => member === type && (wanted === undefined || wanted === allowed));

/**
 * Whether a task goes before what waits on its terminal.
 * @example
 * import { isStop, TaskType } from '@berth/contract/values';
 * isStop(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 }); // => true
 * isStop(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 }); // => false
 */
export const isStop = (type: TaskType, payload: Payload): boolean => isMember(stopTypes, type, payload);

/**
 * Whether a locked terminal refuses the task.
 * @example
 * import { isRefusedByLock, TaskType } from '@berth/contract/values';
 * isRefusedByLock(TaskType.EA_INSTALL, {}); // => true
 * isRefusedByLock(TaskType.CLOSE_ALL, {}); // => false
 */
export const isRefusedByLock = (type: TaskType, payload: Payload): boolean => isMember(lockedTypes, type, payload);

/**
 * Types that give way to a stop: an attempt is cut off, and the task waits for its turn again. An installation or a
 * destruction of a terminal is not: before the one there is nothing to stop, and the other one stops it.
 */
export const interruptibleTypes: readonly TaskType[] = Object.values(taskCatalogue)
  .filter(({ type, isRepeatable }) => isRepeatable && type !== TaskType.TERMINAL_INSTALL)
  .map(({ type }) => type)
  .filter((type) => type !== TaskType.TERMINAL_DESTROY);
