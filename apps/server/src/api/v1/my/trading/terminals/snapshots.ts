import { MAX_KEPT_SNAPSHOTS, snapshotRoutes } from '@berth/contract';
import { recordAudit } from '../../../../../audit/record.ts';
import { createId } from '../../../../../db/ids.ts';
import { AppError } from '../../../../../errors.ts';
import { readSetups } from '../../../../../snapshots/noting.ts';
import { countSnapshots, deleteSnapshot, insertSnapshot, listSnapshots } from '../../../../../snapshots/queries.ts';
import { assertTerminal, lockOwnTerminal } from '../../../../../terminals/queries.ts';
import { refuse, toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

const LIMIT = MAX_KEPT_SNAPSHOTS.manual;

export const registerSnapshotRoutes = (context: RouteContext): void => {
  const { db, storage } = context.services;

  registerRoute(context, snapshotRoutes.listSnapshots, {
    handle: async ({ caller, params: { terminal_id: terminalId } }) => {
      const { id: userId } = caller.user;
      await assertTerminal(db, userId, terminalId);
      return toEnvelope('Snapshots retrieved successfully.', await listSnapshots(db, userId, terminalId));
    },
  });

  registerRoute(context, snapshotRoutes.takeSnapshot, {
    assertFound: ({ caller, params }) => assertTerminal(db, caller.user.id, params.terminal_id),
    handle: async ({ caller, actor, params: { terminal_id: terminalId }, creation, reply }) => {
      const { id: userId } = caller.user;
      const taken = await creation.within(async (tx) => {
        if (!(await lockOwnTerminal(tx, userId, terminalId))) throw AppError.notFound('Terminal');
        if ((await countSnapshots(tx, userId, terminalId, 'manual')) >= LIMIT) return undefined;
        const setup = (await readSetups(tx, [terminalId])).get(terminalId)!;
        await storage.assertRoom(userId, Buffer.byteLength(JSON.stringify(setup)));
        const id = createId();
        await recordAudit(tx, actor, {
          action: 'snapshot.take',
          target: { type: 'snapshot', id },
          after: { terminal_id: terminalId },
        });
        return insertSnapshot(tx, { id, userId, terminalId }, 'manual', setup);
      });
      if (taken) return toEnvelope('Snapshot taken successfully.', taken);
      return refuse(
        reply,
        'snapshot_limit',
        `A terminal has at most ${LIMIT} snapshots that you took. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, snapshotRoutes.deleteSnapshot, {
    handle: async ({ caller, actor, params: { terminal_id: terminalId, snapshot_id: id } }) => {
      const { id: userId } = caller.user;
      await assertTerminal(db, userId, terminalId);
      await db.transactionFor(userId, async (tx) => {
        if (!(await deleteSnapshot(tx, userId, terminalId, id))) throw AppError.notFound('Snapshot');
        const before = { terminal_id: terminalId };
        await recordAudit(tx, actor, { action: 'snapshot.delete', target: { type: 'snapshot', id }, before });
      });
      return toEnvelope('Snapshot deleted successfully.', null);
    },
  });
};
