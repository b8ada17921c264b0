import { invitationRoutes, parseIsoDateTime } from '@berth/contract';
import { createInvitation, deleteInvitation, listInvitations } from '../../../accounts/invitations.ts';
import { recordAudit } from '../../../audit/record.ts';
import { AppError } from '../../../errors.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { assertRegions } from './limit-regions.ts';

const USUAL_MS = 7 * 86_400_000;

const toTarget = (id: string) => ({ target: { type: 'invitation', id }, userId: null });

export const registerInvitationRoutes = (context: RouteContext): void => {
  const { config, db, clock } = context.services;
  registerRoute(context, invitationRoutes.listInvitations, {
    handle: async ({ caller }) =>
      toEnvelope('Invitations retrieved successfully.', await listInvitations(db.slowFor(caller.user.id))),
  });

  registerRoute(context, invitationRoutes.createInvitation, {
    handle: async ({ caller, actor, body: { expires_at: until, ...offer }, request }) => {
      await assertRegions(context, offer.limits?.regions);
      const expiresAt = (until === undefined ? undefined : parseIsoDateTime(until)) ?? new Date(clock.now() + USUAL_MS);
      const made = await db.transactionFor(caller.user.id, async (tx) => {
        const created = await createInvitation(tx, caller.user.id, { ...offer, expiresAt });
        if (!created) throw new AppError('too_many_invitations');
        const { id, plan, limits, expires_at } = created.invitation;
        const after = { plan, limits, expires_at };
        await recordAudit(tx, actor, { action: 'invitation.create', ...toTarget(id), after });
        return created;
      });
      const url = toPublicUrl(request, config, `/#invitation=${made.code}`).href;
      return toEnvelope('Invitation created successfully. Its link is shown only this once.', {
        invitation: made.invitation,
        url,
      });
    },
  });

  registerRoute(context, invitationRoutes.deleteInvitation, {
    handle: async ({ caller, actor, params: { invitation_id: id } }) => {
      await db.transactionFor(caller.user.id, async (tx) => {
        const deleted = await deleteInvitation(tx, id);
        if (!deleted) throw AppError.notFound('Invitation');
        const { plan, limits, expires_at } = deleted;
        const before = { plan, limits, expires_at };
        await recordAudit(tx, actor, { action: 'invitation.delete', ...toTarget(deleted.id), before });
      });
      return toEnvelope('Invitation revoked successfully.', null);
    },
  });
};
