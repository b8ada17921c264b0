import type { Ability } from '../abilities.ts';
import { Envelope, EnvelopeOrRefusal, Null, Type } from '../schema.ts';
import { Snapshot } from '../terminals/snapshot.ts';
import { defineRoute } from './route.ts';

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
