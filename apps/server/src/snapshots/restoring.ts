/** The tasks that make a terminal anew from a setup. Pure. */
import { TaskType } from '@berth/contract';
import type { Setup, SetupFile } from './setup.ts';

/** So many addresses of servers fit into a payload. */
const SERVERS_PER_TASK = 32;

export interface RestoringTask {
  type: TaskType;
  payload: Record<string, unknown>;
}

/** The id of a file of the owner with the content; undefined: none is left. */
export type FindFile = (file: SetupFile) => string | undefined;

export interface Restoration {
  /** In the order in which they have to be carried out. */
  tasks: RestoringTask[];
  /** What has no file any more: the names of experts, or "the server file". */
  missing: string[];
  /** Algo trading was on, and everything can be brought back. */
  canTrade: boolean;
}

const toServerTasks = ({ servers, server_file: file }: Setup, fileId: string | undefined): RestoringTask[] => {
  const payloads: Record<string, unknown>[] = file && fileId !== undefined ? [{ file_id: fileId }] : [];
  // The newest come first: who adds the oldest first ends with the same order.
  for (let end = servers.length; end > 0; end -= SERVERS_PER_TASK) {
    payloads.push({ servers: servers.slice(Math.max(0, end - SERVERS_PER_TASK), end) });
  }
  const tasks: RestoringTask[] = payloads.map((payload) => ({ type: TaskType.ACCOUNT_SERVER, payload }));
  // The login of the installation could not know them.
  return tasks.length === 0 ? [] : [...tasks, { type: TaskType.ACCOUNT_LOGIN, payload: {} }];
};

/**
 * Servers and login first, then the options, then the experts. Algo trading is not among them: a new terminal has it off,
 * and it is turned on once all of them are done, if at all (`resumeTradingStatement`).
 */
export const toRestoration = (setup: Setup, findFile: FindFile): Restoration => {
  const { server_file: serverFile, algo_trading: isOn, is_complete: isComplete } = setup;
  const serverFileId = serverFile ? findFile(serverFile) : undefined;
  const missing = serverFile && serverFileId === undefined ? ['the server file'] : [];
  const experts = setup.experts.flatMap(({ chart_id: _id, file, ...expert }): RestoringTask[] => {
    const fileId = findFile(file);
    if (fileId !== undefined) return [{ type: TaskType.EA_INSTALL, payload: { ...expert, file_id: fileId } }];
    missing.push(expert.name);
    return [];
  });
  const tasks: RestoringTask[] = [
    ...toServerTasks(setup, serverFileId),
    ...(setup.shows_all_symbols ? [{ type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} }] : []),
    ...setup.web_requests.map((url) => ({ type: TaskType.OPTIONS_WEB_REQUEST, payload: { url } })),
    ...experts,
  ];
  return { tasks, missing: [...new Set(missing)], canTrade: isOn && isComplete && missing.length === 0 };
};
