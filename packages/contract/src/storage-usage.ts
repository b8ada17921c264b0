import { Type, type Static } from './schema.ts';

/** What the data of a user is of. */
export const storageKinds = ['files', 'tasks', 'runs', 'webhooks', 'events', 'other'] as const;
export type StorageKind = (typeof storageKinds)[number];

/** What an account stores, and may store. */
export const StorageUsage = Type.Object({
  used_bytes: Type.Integer({ description: 'All kinds together' }),
  quota_bytes: Type.Integer({ description: 'What they may come to' }),
  by: Type.Object(
    {
      files: Type.Integer({ description: 'Files and screenshots' }),
      tasks: Type.Integer({ description: 'Tasks with their payloads and results, at least 1 KiB each' }),
      runs: Type.Integer({ description: 'Runs of tasks on many terminals' }),
      webhooks: Type.Integer({ description: 'Deliveries with what was answered, at least 1 KiB each' }),
      events: Type.Integer({ description: 'The event log' }),
      other: Type.Integer({
        description: 'Notifications, alerts, and the answers to requests with an idempotency key',
      }),
    },
    { description: 'What each kind takes' },
  ),
});
export type StorageUsage = Static<typeof StorageUsage>;
