/** The typed client of Berth. */
export { Berth, type RequestOptions } from './berth.ts';
export * from './errors.ts';
export type { EventOptions, LostEvents } from './events/watch.ts';
export { List, type Page } from './list.ts';
export type { BerthOptions, CallOptions, CreateOptions } from './options.ts';
export type { Account, AccountNotifications, AccountSessions, AccountTokens } from './resources/account.ts';
export type { Auth } from './resources/auth.ts';
export type { BulkRuns } from './resources/bulk-runs.ts';
export type { Content, ContentStream, Files, StreamOptions } from './resources/files.ts';
export type { Hosts, JoinTokens, Operator } from './resources/operator.ts';
export type { Projects, Regions } from './resources/projects.ts';
export type { PayloadArguments, TaskOptions, Tasks } from './resources/tasks.ts';
export type { Said } from './resources/said.ts';
export type { BulkOrder, ManyTerminals, Terminals } from './resources/terminals.ts';
export { TaskStatus, TaskType, TerminalStatus } from './types.ts';
export type * from './types.ts';
export type { DoneTask, RunOptions } from './waiting/task.ts';
export type { WaitOptions } from './waiting/wait.ts';
