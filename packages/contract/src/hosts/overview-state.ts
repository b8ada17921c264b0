/** What an installation needs of its operator, as the overview shows it. */
import { Nullable, NullableTimestamp, OneOf, OneOfNumbers, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { taskTypes } from '../tasks/types.ts';

/** The most tasks that a list of the overview has. */
export const MAX_OVERVIEW_TASKS = 20;

/** The backup by a schedule. */
export const BackupState = Type.Object({
  last_started_at: NullableTimestamp('null: none was begun'),
  last_succeeded_at: NullableTimestamp('null: none succeeded'),
  size_bytes: Nullable<number>('integer', { description: 'Of the last one that succeeded' }),
  error: Nullable('string', { description: 'Why the last one failed; null: it succeeded, or there was none' }),
  next_at: Timestamp('When the next one is due'),
  is_running: Nullable<boolean>('boolean', { description: 'A server makes one now; null: none does' }),
  is_late: Type.Boolean({ description: 'The last one is older than twice the time between two' }),
});
export type BackupState = Static<typeof BackupState>;

export const MailState = Type.Object({
  last_sent_at: NullableTimestamp('null: no mail was sent'),
  last_failed_at: NullableTimestamp('null: no mail failed'),
  error: Nullable('string', { description: 'Of the last mail that failed' }),
  is_failing: Type.Boolean({ description: 'No mail was sent since one failed' }),
});
export type MailState = Static<typeof MailState>;

const disk = {
  total_mb: Type.Integer({ description: 'Size of the disk' }),
  available_mb: Type.Integer({ description: 'What of it is free' }),
};
export const ServerDisk = Type.Object(disk);

const hostTroubles = ['offline', 'disk_low'] as const;
export const TroubledHost = Type.Object({
  id: Uuid('Host'),
  name: Type.String(),
  trouble: OneOf(hostTroubles, { description: '`disk_low`: less than 5 % or 2 GiB is free' }),
  since: NullableTimestamp('When it reported last'),
  terminals: Type.Integer({ description: 'Terminals on it' }),
  disk_available_mb: Nullable<number>('integer', { description: 'null: it did not say' }),
});

const task = {
  id: Uuid('Task'),
  type: OneOfNumbers(taskTypes),
  terminal_id: Uuid('Terminal'),
  user_id: Uuid('Owner'),
  user_name: Type.String({ description: 'of the owner' }),
  host_id: Nullable('string', { format: 'uuid', description: 'null: it had none' }),
  host_name: Nullable('string', { description: 'null: it had none' }),
};
export const FailedTask = Type.Object({
  ...task,
  since: Timestamp('When it ended'),
  code: Nullable('string', { description: 'of its last step; null: it had none' }),
});
export const StuckTask = Type.Object({
  ...task,
  since: Timestamp('Its deadline, or when it began to wait'),
  reason: OneOf(['overdue', 'waiting'], {
    description:
      '`overdue`: it still runs a minute after its deadline; `waiting`: its host is online and took it not within ten minutes',
  }),
});

/** A user who is at a limit. */
export const LimitedUser = Type.Object({
  id: Uuid('User'),
  name: Type.String(),
  email: Type.String(),
  limit: OneOf(['terminals', 'storage'], { description: '`storage`: 95 % of it is used, in bytes' }),
  used: Type.Integer({ description: 'What the user has' }),
  most: Type.Integer({ description: 'What the user may have' }),
});
export type LimitedUser = Static<typeof LimitedUser>;
