import {
  AnyObject,
  Nullable,
  NullableTimestamp,
  OneOf,
  OneOfNumbers,
  Timestamp,
  Type,
  Uuid,
  Warnings,
  type Static,
} from '../schema.ts';
import { taskTypes } from './types.ts';

/**
 * Outcomes of a run for one terminal, in the order in which a person wants to see them. The database stores their
 * positions.
 */
export const bulkRunStates = ['failed', 'skipped', 'canceled', 'in_progress', 'pending', 'succeeded'] as const;
export type BulkRunState = (typeof bulkRunStates)[number];

/** The same task on many terminals, which the service creates and follows by itself. */
export const BulkRun = Type.Object({
  id: Uuid('Identifier'),
  type: OneOfNumbers(taskTypes),
  payload: AnyObject('Parameters; secrets read as "********"'),
  planned_at: NullableTimestamp('When the first terminal has its turn; null means at once'),
  stagger_seconds: Type.Integer({ description: 'How much later each next terminal has its turn' }),
  created_at: Timestamp(),
  canceled_at: NullableTimestamp('When its user canceled it'),
  finished_at: NullableTimestamp('When nothing was open any more; null until then'),
  total: Type.Integer({ description: 'Terminals' }),
  pending: Type.Integer({ description: 'Their tasks are not created yet' }),
  in_progress: Type.Integer({ description: 'Their tasks have not ended' }),
  succeeded: Type.Integer({ description: 'Their hosts confirmed it' }),
  failed: Type.Integer({ description: 'It failed, or nobody confirmed it' }),
  skipped: Type.Integer({ description: 'They take no task: not installed, being destroyed, gone' }),
  canceled: Type.Integer(),
});
export type BulkRun = Static<typeof BulkRun>;

/** The outcome of a run for one terminal. */
export const BulkRunItem = Type.Object({
  number: Type.Integer({ description: 'Its place among the terminals of the run, from 1' }),
  terminal_id: Uuid('Terminal'),
  terminal_name: Nullable('string', { description: 'null where there is no such terminal any more' }),
  task_id: Nullable('string', { description: 'null where there is no task, or not yet' }),
  state: OneOf(bulkRunStates),
  reason: Nullable('string', { description: 'Why it did not succeed' }),
  code: Nullable('string', { description: 'The same as results of tasks name it: E_TIMEOUT' }),
  warnings: Warnings,
});
export type BulkRunItem = Static<typeof BulkRunItem>;
