/** What a terminal was set up with, kept by the server. */
import { OneOf, Timestamp, Type, type Static, Uuid } from '../schema.ts';

/** Taken after a task that changed the terminal, or by its owner. */
export const snapshotCauses = ['change', 'manual'] as const;
export type SnapshotCause = (typeof snapshotCauses)[number];

/** Snapshots of one terminal: the newest after changes, and those that its owner took. */
export const MAX_KEPT_SNAPSHOTS = { change: 10, manual: 5 } as const satisfies Record<SnapshotCause, number>;

/** What a terminal was set up with at some time. */
export const Snapshot = Type.Object({
  id: Uuid('Snapshot'),
  created_at: Timestamp(),
  cause: OneOf(snapshotCauses, { description: '`change`: after a task that changed something' }),
  size: Type.Integer({ description: 'Bytes; files are not in it' }),
  charts: Type.Integer({ description: 'Charts with an expert' }),
  experts: Type.Integer({ description: 'Different experts on them' }),
  is_complete: Type.Boolean({ description: 'false: more was set up than a snapshot holds (256 KiB, 100 charts)' }),
});
/** What a terminal was set up with at some time. */
export type Snapshot = Static<typeof Snapshot>;
