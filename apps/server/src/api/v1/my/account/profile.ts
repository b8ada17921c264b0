import { accountRoutes } from '@berth/contract';
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
    handle: async ({ caller, body: { name, default_project_id: projectId } }) => {
      const { id } = caller.user;
      const isPlausible = projectId === undefined || isUuid(projectId);
      const update = () => db.transactionFor(id, (tx) => updateProfile(tx, id, { name, projectId }));
      if (!isPlausible || !(await update())) throw unknownProject('default_project_id');
      return toEnvelope('Profile updated successfully.', null);
    },
  });
};
