import { invitationRoutes } from '@berth/contract';
import { listInvitations } from '../../../accounts/invitations.ts';
import { invite, revokeInvitation, toEnd } from '../../../operation/invitation-changes.ts';
import { assertRegions } from '../../../operation/limit-regions.ts';
import { toActingOperator } from '../../http/caller.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerInvitationRoutes = (context: RouteContext): void => {
  const { config, db, clock, regions } = context.services;
  registerRoute(context, invitationRoutes.listInvitations, {
    handle: async ({ caller }) =>
      toEnvelope('Invitations retrieved successfully.', await listInvitations(db.slowFor(caller.user.id))),
  });

  registerRoute(context, invitationRoutes.createInvitation, {
    handle: async (input) => {
      const { expires_at: until, ...offer } = input.body;
      await assertRegions(regions, offer.limits?.regions);
      const expiresAt = toEnd(until, clock.now());
      const made = await db.transactionFor(input.caller.user.id, (tx) =>
        invite(tx, toActingOperator(input), { ...offer, expiresAt }),
      );
      const url = toPublicUrl(input.request, config, `/#invitation=${made.code}`).href;
      return toEnvelope('Invitation created successfully. Its link is shown only this once.', {
        invitation: made.invitation,
        url,
      });
    },
  });

  registerRoute(context, invitationRoutes.deleteInvitation, {
    handle: async (input) => {
      await db.transactionFor(input.caller.user.id, (tx) =>
        revokeInvitation(tx, toActingOperator(input), input.params.invitation_id),
      );
      return toEnvelope('Invitation revoked successfully.', null);
    },
  });
};
