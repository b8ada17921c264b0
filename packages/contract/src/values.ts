/**
 * The parts of the contract for a program that does not check schemas: tables of statuses and types, limits,
 * and the pure decisions based on them. They load no schema library, so that a browser can use them; a test enforces
 * that.
 */
export * from './abilities.ts';
export * from './users/values.ts';
export * from './alerts/values.ts';
export * from './audit/values.ts';
export type { ErrorCode } from './errors.ts';
export * from './hosts/status.ts';
export * from './limits.ts';
export * from './money.ts';
export * from './notifications.ts';
export * from './risk/evidence-values.ts';
export * from './risk/values.ts';
export { taskTransitions } from './tasks/machine.ts';
export type { ReportedEnd } from './tasks/machine.ts';
export * from './tasks/status.ts';
export * from './tasks/catalogue.ts';
export * from './tasks/input-values.ts';
export * from './tasks/names.ts';
export * from './tasks/stops.ts';
export * from './tasks/types.ts';
export * from './terminals/charts.ts';
export * from './terminals/values.ts';
export * from './terminals/machine.ts';
export * from './terminals/samples.ts';
export * from './text.ts';
export * from './trading/bounds.ts';
export * from './trading/limits.ts';
export * from './trading/same-account.ts';
export * from './views.ts';
