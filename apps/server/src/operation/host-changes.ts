/** What operators do with hosts that are not retired, each with its row of the audit log. */
import type { AuditAction, DrainedTerminals, HostDetails } from '@berth/contract';
import { recordAudit } from '../audit/record.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { beginDrain, endDrain, lockDrains, type DrainParts } from '../deployment/drain.ts';
import { AppError, ValidationError } from '../errors.ts';
import * as hosts from '../hosts/managed-hosts.ts';
import type { ActingOperator } from './acting-operator.ts';

/** @throws AppError not_found */
export const getHost = async (db: Queryable, id: string): Promise<HostDetails> => {
  const host = await hosts.findManagedHost(db, id);
  if (!host) throw AppError.notFound('Host');
  return host;
};

/** What operators set of a host. */
const toKept = ({ name, capacity, cordoned, drain }: HostDetails) => ({
  ...{ name, capacity, cordoned },
  drain: drain ? { terminals: drain.terminals, deadline_at: drain.deadline_at } : null,
});

type HeldHost = NonNullable<Awaited<ReturnType<typeof hosts.lockManagedHost>>>;

/** @returns the host afterwards */
const change = async (
  tx: Transaction,
  { actor }: ActingOperator,
  { id, action }: { id: string; action: AuditAction },
  write: (held: HeldHost) => Promise<void>,
): Promise<HostDetails> => {
  if (action !== 'host.update') await lockDrains(tx);
  const held = await hosts.lockManagedHost(tx, id);
  if (!held) throw AppError.notFound('Host');
  const before = await getHost(tx, id);
  await write(held);
  const after = await getHost(tx, id);
  const target = { type: 'host', id };
  await recordAudit(tx, actor, { action, target, userId: null, before: toKept(before), after: toKept(after) });
  return after;
};

export const updateHost = (
  tx: Transaction,
  by: ActingOperator,
  id: string,
  changes: hosts.HostChanges,
): Promise<HostDetails> =>
  change(tx, by, { id, action: 'host.update' }, async (held) => {
    if (changes.cordoned === false && held.is_draining) throw new AppError('host_draining');
    if (changes.capacity === null && held.memory_capacity === null) {
      const text = 'The capacity field is required: the host does not say how many terminals fit into its memory.';
      throw ValidationError.of('capacity', text);
    }
    await hosts.writeHost(tx, id, changes);
  });

export const drainHost = (
  tx: Transaction,
  parts: DrainParts,
  by: ActingOperator,
  { id, ...drain }: { id: string; terminals: DrainedTerminals; deadlineMinutes: number | undefined },
): Promise<HostDetails> => change(tx, by, { id, action: 'host.drain' }, () => beginDrain(tx, parts, id, drain));

export const endHostDrain = (
  tx: Transaction,
  parts: DrainParts,
  by: ActingOperator,
  { id, uncordon }: { id: string; uncordon: boolean },
): Promise<HostDetails> =>
  change(tx, by, { id, action: 'host.end_drain' }, () => endDrain(tx, parts, id, { uncordon }));
