/** The typed client of Berth. */
export { Berth, type RequestOptions } from './berth.ts';
export * from './errors.ts';
export type { EventOptions, LostEvents } from './events/watch.ts';
export { ApiPromise, type ApiResponse, type WithResponse } from './http/api-promise.ts';
export { List, type Page } from './list.ts';
export type { BerthOptions, CallOptions, CreateOptions } from './options.ts';
export type { Account, AccountNotifications, AccountSessions, AccountTokens } from './resources/account.ts';
export type { Auth } from './resources/auth.ts';
export type { Content, Files } from './resources/files.ts';
export type { Hosts, JoinTokens, Operator } from './resources/operator.ts';
export type { Projects, Regions } from './resources/projects.ts';
export type { PayloadArguments, TaskOptions, Tasks } from './resources/tasks.ts';
export type { BulkOrder, Terminals } from './resources/terminals.ts';
export { taskStatusNames, taskTypeNames, terminalStatusNames } from './status-names.ts';
export { TaskStatus, TaskType, TerminalStatus } from './types.ts';
export type * from './types.ts';
export type { DoneTask, RunOptions } from './waiting/task.ts';
export type { WaitOptions } from './waiting/wait.ts';
