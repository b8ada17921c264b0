import type { Ability } from '../abilities.ts';
import { parseIsoDateTime } from '../dates.ts';
import type { FieldError } from '../errors.ts';
import { MAX_BULK_TERMINALS, MAX_LISTED_IDS, MAX_PLANNED_DAYS, MAX_STAGGER_SECONDS } from '../limits.ts';
import { BulkCreation, CreatedTask, Task, TaskMove } from '../resources.ts';
import {
  Envelope,
  EnvelopeOrRefusal,
  Nullable,
  NumberWithin,
  OneOf,
  pageQuery,
  AnyBoundedPagination,
  AnyPaginationWithTo,
  Refusal,
  RefusalCode,
  toVariants,
  Type,
  WarningEnvelopeOrRefusal,
  warningsQuery,
} from '../schema.ts';
import { taskStatuses } from '../tasks/machine.ts';
import { isTaskType, taskTypes, TaskType } from '../tasks/types.ts';
import { defineRoute } from './route.ts';

import { terminalFilters, toIdsErrors } from './terminals.ts';

const taskRoute = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Tasks', auth: 'user', ability }) as const;

const TYPE_HINT = 'Choose a number of the table of types in GET /openapi.json, which says what each does.';

/** The service itself creates installations, and destroying cannot be undone: a run does it, on named terminals. */
export const isForMany = (type: unknown): boolean =>
  isTaskType(type) && type !== TaskType.TERMINAL_INSTALL && type !== TaskType.TERMINAL_DESTROY;

/** The three ways to select terminals: exactly one of them, so that nothing is selected by accident. */
const choices = ['terminal_ids', 'filter', 'all'] as const;

/** Errors where not exactly one of the three ways is chosen. */
export const toChoiceErrors = (body: Record<string, unknown>): FieldError[] => {
  const [given, ...others] = choices.filter((name) => body[name] !== undefined);
  if (given === undefined) {
    return [
      { field: 'terminal_ids', text: 'The terminal ids field is required when neither filter nor all is present.' },
    ];
  }
  const text = (field: string): string =>
    `The ${field} field must be missing when ${given.replaceAll('_', ' ')} is present.`;
  return others.map((field) => ({ field, text: text(field) }));
};

const DAY_MS = 86_400_000;

/** Errors of a time that is too far ahead: what is planned is kept until then. */
const toPlanErrors = ({ planned_at: plannedAt }: Record<string, unknown>, now: Date): FieldError[] => {
  const time = typeof plannedAt === 'string' ? parseIsoDateTime(plannedAt) : undefined;
  if (!time || time.getTime() <= now.getTime() + MAX_PLANNED_DAYS * DAY_MS) return [];
  return [{ field: 'planned_at', text: 'The planned at field must not be more than a year ahead.' }];
};

/** Rules for operations on many terminals, for the allowed types. */
export const toBulkErrors = (
  body: Record<string, unknown>,
  now: Date,
  isAllowed: (type: unknown) => boolean,
): FieldError[] => {
  const { filter, type, payload } = body;
  const errors = [...toChoiceErrors(body), ...toPlanErrors(body, now)];
  const { date_from: from, date_to: to } = (filter ?? {}) as Record<string, unknown>;
  if (typeof from === 'string' && typeof to === 'string' && to < from) {
    errors.push({
      field: 'filter.date_to',
      text: 'The filter.date_to field must be a date after or equal to date from.',
    });
  }
  if (!isAllowed(type)) errors.push({ field: 'type', text: 'The selected type is invalid.', hint: TYPE_HINT });
  if (type === TaskType.ACCOUNT_LOGIN && (payload as { login?: unknown } | undefined)?.login !== undefined) {
    const text = 'The payload.login field must be missing here: several terminals on one account would trade twice.';
    errors.push({ field: 'payload.login', text });
  }
  return errors;
};

const plannedAt = (description: string) => Type.Optional(Type.String({ isoDateTime: true, description }));

/** An operation on many terminals, and their selection: `maxIds` of them by id. */
export const bulkFields = (
  maxIds: number,
  firstType: number,
  filterDescription: string,
  payloadDescription: string,
) => ({
  terminal_ids: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: maxIds })),
  filter: Type.Optional(Type.Object(terminalFilters, { description: filterDescription })),
  all: Type.Optional(
    Type.Unsafe<true>({ type: 'boolean', enum: [true], description: 'Instead of ids: all terminals, as {} does' }),
  ),
  type: Type.Unsafe<TaskType>({ type: 'integer', description: `Task type from ${firstType}, see the table` }),
  payload: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: payloadDescription })),
  planned_at: plannedAt(
    'When to carry them out; without a zone it is UTC; a time in the past means now, and one more than a year ahead is refused',
  ),
  stagger_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_STAGGER_SECONDS,
      description: 'Each terminal so much later than the one before it; 0 means all at once',
    }),
  ),
});

/** The task that stands for its run may not match what others of the run do. */
const toFoldingErrors = ({ query }: { query: Record<string, unknown> }): FieldError[] =>
  query.one_per_run === true
    ? ['status', 'terminal_id', 'project_id', 'ids']
        .filter((field) => query[field] !== undefined)
        .map((field) => ({
          field,
          text: `The ${field.replaceAll('_', ' ')} field must be missing when one per run is true.`,
        }))
    : [];

const createdTasks = {
  ok: Type.Boolean({ description: 'false: no task was created at all' }),
  msg: Type.String(),
  data: Type.Array(BulkCreation),
  run_id: Nullable('string', { description: 'The run of these tasks; null where none was created' }),
};

export const taskRoutes = {
  listAllTasks: defineRoute({
    ...taskRoute('read'),
    method: 'GET',
    url: '/v1/my/tasks',
    summary: 'List the tasks of all terminals, newest first',
    query: Type.Object({
      ...pageQuery(),
      status: Type.Optional(
        Type.String({
          taskStatusList: true,
          description: 'Statuses or their names, comma-separated: `5` or `failed,terminated`',
        }),
      ),
      type: Type.Optional(
        Type.String({
          taskTypeList: true,
          description: 'Types or their names, comma-separated: `2` or `ea_install,ea_update`',
        }),
      ),
      terminal_id: Type.Optional(Type.String({ maxLength: 255 })),
      project_id: Type.Optional(
        Type.String({ maxLength: 255, description: 'Of terminals that are in the project now' }),
      ),
      ids: Type.Optional(
        Type.String({
          uuidList: true,
          maxLength: MAX_LISTED_IDS * 40,
          description: `Ids of tasks, comma-separated, up to ${MAX_LISTED_IDS}; \`per_page\` is then ${MAX_LISTED_IDS} by default`,
        }),
      ),
      include: Type.Optional(OneOf(['terminal'], { description: 'Adds `terminal_name`' })),
      one_per_run: Type.Optional(
        Type.Boolean({ description: 'Of a run on many terminals only the task of the first one, with `run`' }),
      ),
    }),
    rules: (input) => [...toIdsErrors(MAX_LISTED_IDS)(input), ...toFoldingErrors(input)],
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(Task),
      pagination: AnyBoundedPagination,
    }),
  }),
  listTasks: defineRoute({
    ...taskRoute('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/tasks',
    summary: 'List the tasks of a terminal, newest first',
    query: Type.Object({
      ...pageQuery(),
      status: Type.Optional(
        NumberWithin(taskStatuses, { taskStatusNumber: true, description: 'Or its name: `failed`' }),
      ),
      type: Type.Optional(NumberWithin(taskTypes, { taskTypeNumber: true, description: 'Or its name: `ea_install`' })),
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(Task),
      pagination: Type.Optional(AnyPaginationWithTo),
    }),
  }),
  createTask: defineRoute({
    ...taskRoute('write'),
    method: 'POST',
    audit: 'task.create',
    url: '/v1/my/trading/terminals/:terminal_id/tasks',
    summary: 'Create a task on a terminal',
    limit: 'taskCreation',
    query: Type.Object(warningsQuery),
    isIdempotent: true,
    isStrict: true,
    taskTypes,
    errors: ['account_locked', 'host_draining', 'storage_full'],
    body: Type.Object({
      type: Type.Unsafe<TaskType>({ type: 'integer', description: 'Task type, see the table' }),
      payload: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Parameters of the type, up to 16 KiB' }),
      ),
      planned_at: plannedAt(
        'When to carry it out; without a zone it is UTC; a time in the past means now, and one more than a year ahead is refused',
      ),
      chart_id: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: '^[A-Za-z0-9_-]+$',
          description: 'The same as `chart_id` of the payload, for types that have it',
        }),
      ),
    }),
    rules: ({ body }, now) => [
      ...(isTaskType(body.type) ? [] : [{ field: 'type', text: 'The selected type is invalid.', hint: TYPE_HINT }]),
      ...toPlanErrors(body, now),
    ],
    response: WarningEnvelopeOrRefusal(CreatedTask),
  }),
  createTasks: defineRoute({
    ...taskRoute('write'),
    method: 'POST',
    audit: 'run.create',
    url: '/v1/my/trading/terminals/bulk/tasks',
    summary: 'Create the same task on many terminals, as a run that is followed to its end',
    limit: 'taskCreation',
    query: Type.Object(warningsQuery),
    isIdempotent: true,
    isStrict: true,
    taskTypes: taskTypes.filter(isForMany),
    errors: ['nothing_matched', 'storage_full'],
    body: Type.Object(
      bulkFields(
        MAX_BULK_TERMINALS,
        2,
        `Instead of ids: filters of the list of terminals, which may match up to ${MAX_BULK_TERMINALS}; {} matches all`,
        'Parameters of the type, up to 16 KiB, and 1 MiB for all terminals together',
      ),
    ),
    rules: ({ body }, now) => toBulkErrors(body, now, isForMany),
    response: toVariants(
      Type.Object({
        ...createdTasks,
        data: Type.Optional(createdTasks.data),
        run_id: Type.Optional(createdTasks.run_id),
        code: RefusalCode,
      }),
      [Type.Object(createdTasks), Refusal],
    ),
  }),
  getTask: defineRoute({
    ...taskRoute('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/tasks/:task_id',
    summary: 'Read a task',
    response: Envelope(Type.Object({ ok: Type.Boolean(), task: Task })),
  }),
  listTaskHistory: defineRoute({
    ...taskRoute('read'),
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/tasks/:task_id/history',
    summary: 'List the moves of a task from status to status, oldest first',
    response: Envelope(Type.Array(TaskMove)),
  }),
  cancelTask: defineRoute({
    ...taskRoute('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/trading/terminals/:terminal_id/tasks/:task_id/cancel',
    summary: 'Cancel a task that no host has yet',
    isStrict: true,
    response: EnvelopeOrRefusal(CreatedTask),
  }),
};
