import type { Ability } from '../abilities.ts';
import type { FieldError } from '../errors.ts';
import { MAX_RUN_TERMINALS } from '../limits.ts';
import {
  Envelope,
  EnvelopeOrRefusal,
  Null,
  OneOf,
  pageQuery,
  AnyBoundedPagination,
  Type,
  warningsQuery,
} from '../schema.ts';
import { BulkRun, BulkRunItem, bulkRunStates } from '../tasks/run-resources.ts';
import { defineRoute } from './route.ts';
import { taskTypes, TaskType } from '../tasks/types.ts';
import { bulkFields, isForMany, toBulkErrors } from './tasks.ts';

const run = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Tasks', auth: 'user', ability }) as const;

const isForRuns = (type: unknown): boolean => isForMany(type) || type === TaskType.TERMINAL_DESTROY;

/** A deletion cannot be undone: it starts at once, and only on terminals that are named. */
const toDeletionErrors = (body: Record<string, unknown>): FieldError[] => {
  if (body.type !== TaskType.TERMINAL_DESTROY) return [];
  const given = ['filter', 'all', 'planned_at', 'stagger_seconds'].filter((field) => body[field] !== undefined);
  return given.map((field) => ({
    field,
    text: `The ${field.replaceAll('_', ' ')} field must be missing when terminals are deleted. Name them in terminal_ids.`,
  }));
};

const RUNS = '/v1/my/trading/bulk-runs';

export const bulkRunRoutes = {
  listBulkRuns: defineRoute({
    ...run('read'),
    method: 'GET',
    url: RUNS,
    summary: 'List the runs of tasks on many terminals, newest first',
    query: Type.Object(pageQuery()),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(BulkRun),
      pagination: AnyBoundedPagination,
    }),
  }),
  createBulkRun: defineRoute({
    ...run('write'),
    method: 'POST',
    audit: 'run.create',
    url: RUNS,
    summary: 'Have the same task carried out on any number of terminals, and followed to its end on each',
    limit: 'taskCreation',
    isIdempotent: true,
    isStrict: true,
    taskTypes: taskTypes.filter(isForRuns),
    errors: ['nothing_matched', 'storage_full'],
    // 10,000 ids and a payload.
    maxBodyBytes: 512 * 1024,
    body: Type.Object(
      bulkFields(
        MAX_RUN_TERMINALS,
        1,
        'Instead of ids: filters of the list of terminals; {} matches all',
        'Parameters of the type, up to 16 KiB, and 16 MiB for all terminals together',
      ),
    ),
    rules: ({ body }, now) => [...toBulkErrors(body, now, isForRuns), ...toDeletionErrors(body)],
    response: EnvelopeOrRefusal(BulkRun),
  }),
  getBulkRun: defineRoute({
    ...run('read'),
    method: 'GET',
    url: `${RUNS}/:run_id`,
    summary: 'Read how a run stands',
    response: Envelope(BulkRun),
  }),
  listBulkRunItems: defineRoute({
    ...run('read'),
    method: 'GET',
    url: `${RUNS}/:run_id/items`,
    summary:
      'List what came of a run on each terminal: first what failed, was skipped or canceled, last what succeeded',
    query: Type.Object({
      ...pageQuery(),
      state: Type.Optional(OneOf(bulkRunStates, { description: 'Only these' })),
      ...warningsQuery,
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(BulkRunItem),
      pagination: AnyBoundedPagination,
    }),
  }),
  cancelBulkRun: defineRoute({
    ...run('write'),
    method: 'POST',
    audit: 'run.cancel',
    url: `${RUNS}/:run_id/cancel`,
    summary: 'Cancel what no host has yet of a run',
    isStrict: true,
    response: EnvelopeOrRefusal(BulkRun),
  }),
  deleteBulkRun: defineRoute({
    ...run('delete'),
    method: 'DELETE',
    audit: null,
    url: `${RUNS}/:run_id`,
    summary: 'Dismiss a run that is over; its tasks stay',
    response: EnvelopeOrRefusal(Null),
  }),
};
