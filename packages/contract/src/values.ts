/**
 * What a program needs of the contract at run time when it does not check schemas: tables of statuses, types and errors, limits,
 * and the pure decisions made on them. No schema library comes along, so that a browser can load it; a test holds that.
 */
export * from './abilities.ts';
export * from './account-status.ts';
export * from './errors.ts';
export * from './hosts/status.ts';
export * from './limits.ts';
export * from './notifications.ts';
export { isFinalTaskStatus, taskMoves, TaskStatus, taskStatuses, toTaskStatusName } from './tasks/machine.ts';
export type { ReportedEnd, TaskStatusName } from './tasks/machine.ts';
export * from './tasks/catalogue.ts';
export { isFileStem } from './tasks/expert-name.ts';
export * from './tasks/periods.ts';
export * from './tasks/types.ts';
export * from './terminals/charts.ts';
export * from './terminals/login-reasons.ts';
export * from './terminals/machine.ts';
export * from './terminals/platforms.ts';
export * from './terminals/samples.ts';
export * from './terminals/trading.ts';
export * from './text.ts';
