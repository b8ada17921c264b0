import { accountRoutes } from '@berth/contract';
import { recordAudit } from '../../../../audit/record.ts';
import { updateProfile } from '../../../../accounts/users.ts';
import { isUuid } from '../../../../validation/uuid.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { unknownProject } from '../../../../validation/unknown-choices.ts';

export const registerProfileRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, accountRoutes.getProfile, {
    handle: async ({ caller }) => toEnvelope('Profile retrieved successfully.', caller.user),
  });
  registerRoute(context, accountRoutes.updateProfile, {
    handle: async ({ caller: { user }, actor, body: { name, default_project_id: projectId } }) => {
      const { id } = user;
      const isPlausible = projectId === undefined || isUuid(projectId);
      const update = () =>
        db.transactionFor(id, async (tx) => {
          if (!(await updateProfile(tx, id, { name, projectId }))) return false;
          const before = { default_project_id: user.default_project_id };
          // No name: the log outlives the account.
          const renamed = name === undefined || name === user.name ? {} : { name: 'changed' };
          const after = { ...renamed, default_project_id: projectId ?? user.default_project_id };
          await recordAudit(tx, actor, { action: 'account.update', target: { type: 'account', id }, before, after });
          return true;
        });
      if (!isPlausible || !(await update())) throw unknownProject('default_project_id');
      return toEnvelope('Profile updated successfully.', null);
    },
  });
};
