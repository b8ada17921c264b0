/** Tasks that are created again and again, at times that a cron expression names. */
import {
  AnyObject,
  CursorPagination,
  Envelope,
  EnvelopeOrRefusal,
  FIRST_CURSOR,
  Null,
  Nullable,
  OneOf,
  OneOfNumbers,
  perPageQuery,
  Timestamp,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { taskTypes } from '../tasks/types.ts';
import { defineRoute } from './route.ts';
import { bulkFields, isForMany, toBulkErrors, toChoiceErrors } from './tasks.ts';

/** Schedules of one account. */
export const MAX_SCHEDULES = 100;
/** Terminals that a schedule can name. With a filter there is no limit. */
export const MAX_SCHEDULE_TERMINALS = 500;
/** The shortest time between two runs of a schedule. */
export const MIN_SCHEDULE_MINUTES = 5;
/** A run that is later than this was missed: no server was up. */
export const SCHEDULE_GRACE_MINUTES = 10;

/** What becomes of runs that were missed: one is made up for, or none. */
export const missedChoices = ['run_once', 'skip'] as const;
export const scheduleOutcomes = ['started', 'skipped', 'failed'] as const;

/** The last time that a schedule was due. */
export const ScheduleRun = Type.Object({
  due_at: Timestamp('When it was to run'),
  at: Timestamp('When that was decided'),
  outcome: OneOf(scheduleOutcomes, {
    description:
      '`skipped`: it was missed, and missed ones are not made up for; or it turns algo trading on during a stop',
  }),
  run_id: Nullable('string', { format: 'uuid', description: 'The run of tasks (`/v1/my/trading/bulk-runs`)' }),
  message: Nullable('string', { description: 'why there is no run; null: there is one' }),
});
/** The last time that a schedule was due. */
export type ScheduleRun = Static<typeof ScheduleRun>;

/** A task on terminals, again and again. */
export const Schedule = Type.Object({
  id: Uuid('Schedule'),
  name: Type.String(),
  terminal_ids: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', format: 'uuid' },
    description: 'The terminals; null: those that the filter matches at that time',
  }),
  filter: Nullable<Record<string, unknown>>('object', {
    additionalProperties: true,
    description: 'Filters of the list of terminals; {}: all terminals; null: terminals are named',
  }),
  type: OneOfNumbers(taskTypes),
  payload: AnyObject('Parameters of the type'),
  stagger_seconds: Type.Integer({ description: 'How much later each next terminal has its turn' }),
  cron: Type.String({ description: 'Minute, hour, day of the month, month, day of the week' }),
  time_zone: Type.String({ description: 'Where the times of `cron` hold, as the IANA names it' }),
  missed: OneOf(missedChoices, { description: 'What becomes of runs while no server was up' }),
  enabled: Type.Boolean(),
  next_runs: Type.Array(Timestamp(), { description: 'The next three times; none while it is switched off' }),
  last_run: Type.Unsafe<ScheduleRun | null>({
    ...ScheduleRun,
    type: ['object', 'null'],
    description: 'null: none yet',
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
/** A task on terminals, again and again. */
export type Schedule = Static<typeof Schedule>;

const {
  planned_at: _planned,
  type,
  payload,
  ...selection
} = bulkFields(
  MAX_SCHEDULE_TERMINALS,
  2,
  'Instead of ids: filters of the list of terminals, applied at each run; {} matches all',
  'Parameters of the type, up to 16 KiB. A schedule keeps no passwords: logins use the stored ones',
);

const fields = {
  name: Type.String({ maxLength: 255 }),
  cron: Type.String({
    maxLength: 100,
    description: `Five fields: minute, hour, day of the month, month, day of the week. At least ${MIN_SCHEDULE_MINUTES} minutes apart`,
  }),
  time_zone: Type.String({ maxLength: 64, description: 'IANA name: Europe/London' }),
};
const missed = {
  description: `What becomes of runs that no server could start within ${SCHEDULE_GRACE_MINUTES} minutes`,
};
const SCHEDULES = '/v1/my/schedules';
const ONE = `${SCHEDULES}/:schedule_id` as const;

const user = <const Ability extends 'read' | 'write' | 'delete'>(ability: Ability) =>
  ({ tag: 'Schedules', auth: 'user', ability }) as const;

const choices = ['terminal_ids', 'filter', 'all'];

export const scheduleRoutes = {
  listSchedules: defineRoute({
    ...user('read'),
    method: 'GET',
    url: SCHEDULES,
    summary: 'List schedules, oldest first',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          maxLength: 40,
          description: `Goes on after the item with this id (\`next_cursor\`); \`${FIRST_CURSOR}\`: from the beginning`,
        }),
      ),
      ...perPageQuery(),
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(Schedule),
      pagination: CursorPagination,
    }),
  }),
  createSchedule: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'schedule.create',
    url: SCHEDULES,
    summary: 'Create a schedule: the same task on terminals, again and again',
    limit: 'taskCreation',
    isIdempotent: true,
    isStrict: true,
    taskTypes: taskTypes.filter(isForMany),
    body: Type.Object({
      ...fields,
      ...selection,
      type,
      payload,
      missed: Type.Optional(OneOf(missedChoices, { ...missed, default: 'skip' })),
      enabled: Type.Optional(Type.Boolean({ default: true })),
    }),
    rules: ({ body }, now) => toBulkErrors(body, now, isForMany),
    response: EnvelopeOrRefusal(Schedule),
  }),
  getSchedule: defineRoute({
    ...user('read'),
    method: 'GET',
    url: ONE,
    summary: 'Read a schedule',
    response: Envelope(Schedule),
  }),
  updateSchedule: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'schedule.update',
    url: ONE,
    summary: 'Change a schedule, switch it off or on; its type stays',
    limit: 'taskCreation',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      name: Type.Optional(fields.name),
      ...selection,
      payload,
      cron: Type.Optional(fields.cron),
      time_zone: Type.Optional(fields.time_zone),
      missed: Type.Optional(OneOf(missedChoices, missed)),
      enabled: Type.Optional(Type.Boolean()),
    }),
    rules: ({ body }) => (choices.some((name) => body[name] !== undefined) ? toChoiceErrors(body) : []),
    response: Envelope(Schedule),
  }),
  deleteSchedule: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'schedule.delete',
    url: ONE,
    summary: 'Delete a schedule; the runs that it started go on',
    limit: 'taskCreation',
    response: Envelope(Null),
  }),
};
