import type { Ability } from '../abilities.ts';
import { Envelope, EnvelopeOrRefusal, Null, OneOf, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { defineRoute } from './route.ts';

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

const user = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Terminals', auth: 'user', ability }) as const;

const SNAPSHOTS = '/v1/my/trading/terminals/:terminal_id/snapshots';

export const snapshotRoutes = {
  listSnapshots: defineRoute({
    ...user('read'),
    method: 'GET',
    url: SNAPSHOTS,
    summary: 'List the snapshots of a terminal, newest first',
    response: Envelope(Type.Array(Snapshot)),
  }),
  takeSnapshot: defineRoute({
    ...user('write'),
    method: 'POST',
    url: SNAPSHOTS,
    summary: 'Keep what a terminal is set up with now, until this snapshot is deleted',
    audit: 'snapshot.take',
    limit: 'taskCreation',
    errors: ['storage_full'],
    isIdempotent: true,
    isStrict: true,
    response: EnvelopeOrRefusal(Snapshot),
  }),
  deleteSnapshot: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    url: `${SNAPSHOTS}/:snapshot_id`,
    summary: 'Delete a snapshot',
    audit: 'snapshot.delete',
    limit: 'taskCreation',
    response: Envelope(Null),
  }),
};
