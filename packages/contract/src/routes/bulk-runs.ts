import type { Ability } from '../abilities.ts';
import { MAX_RUN_TERMINALS } from '../limits.ts';
import { Envelope, EnvelopeOrRefusal, Null, OneOf, pageQuery, AnyPaginationWithTo, Type } from '../schema.ts';
import { BulkRun, BulkRunItem, bulkRunStates } from '../tasks/run-resources.ts';
import { defineRoute } from './route.ts';
import { taskTypes } from '../tasks/types.ts';
import { bulkFields, isForMany, toBulkErrors } from './tasks.ts';

const run = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Tasks', auth: 'user', ability }) as const;

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
      pagination: AnyPaginationWithTo,
    }),
  }),
  createBulkRun: defineRoute({
    ...run('write'),
    method: 'POST',
    url: RUNS,
    summary: 'Have the same task carried out on any number of terminals, and followed to its end on each',
    isIdempotent: true,
    isStrict: true,
    taskTypes: taskTypes.filter(isForMany),
    errors: ['nothing_matched'],
    body: Type.Object(
      bulkFields(
        MAX_RUN_TERMINALS,
        'Instead of ids: filters of the list of terminals; {} matches all',
        'Parameters of the type, up to 16 KiB, and 16 MiB for all terminals together',
      ),
    ),
    rules: toBulkErrors,
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
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(BulkRunItem),
      pagination: AnyPaginationWithTo,
    }),
  }),
  cancelBulkRun: defineRoute({
    ...run('write'),
    method: 'POST',
    url: `${RUNS}/:run_id/cancel`,
    summary: 'Cancel what no host has yet of a run',
    isStrict: true,
    response: EnvelopeOrRefusal(BulkRun),
  }),
  deleteBulkRun: defineRoute({
    ...run('delete'),
    method: 'DELETE',
    url: `${RUNS}/:run_id`,
    summary: 'Dismiss a run that is over; its tasks stay',
    response: EnvelopeOrRefusal(Null),
  }),
};
