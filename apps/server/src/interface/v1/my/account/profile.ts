import { accountRoutes } from '@berth/contract';
import { findPasswordHash } from '../../../../accounts/credentials.ts';
import { replacePassword } from '../../../../lifecycle/replace-password.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { ValidationError } from '../../../../errors.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { isUuid } from '../../../../validation/uuid.ts';
import { toWelcomeDays } from '../../../../accounts/offers.ts';
import { updateProfile } from '../../../../accounts/users.ts';

export const registerAccountRoutes = (context: RouteContext): void => {
  registerProfile(context);
  registerOffers(context);
  registerPasswordChange(context);
};

const registerProfile = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, accountRoutes.getProfile, {
    handle: async ({ caller }) => toEnvelope('Profile retrieved successfully.', caller.user),
  });
  registerRoute(context, accountRoutes.updateProfile, {
    handle: async ({ caller, body: { name, default_project_id: projectId } }) => {
      const isPlausible = projectId === undefined || isUuid(projectId);
      if (!isPlausible || !(await updateProfile(db, caller.user.id, { name, projectId }))) {
        throw ValidationError.of('default_project_id', 'The selected default project id is invalid.');
      }
      return toEnvelope('Profile updated successfully.', null);
    },
  });
};

const registerOffers = (context: RouteContext): void => {
  const { clock, config } = context.services;
  registerRoute(context, accountRoutes.getOffers, {
    handle: async ({ caller }) => {
      const welcome_days = toWelcomeDays(caller.user, config.welcomeDays, clock.now());
      return toEnvelope('Offers retrieved successfully.', { welcome_days });
    },
  });
};

const registerPasswordChange = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  const wrongPassword = () => ValidationError.of('current_password', 'The current password is incorrect.');
  registerRoute(context, accountRoutes.changePassword, {
    limit: context.limits.passwordChange,
    handle: async ({ caller: { user }, body }) => {
      const oldHash = await findPasswordHash(db, user.id);
      if (!(await passwords.isMatch(body.current_password, oldHash)) || !oldHash) throw wrongPassword();
      const newHash = await passwords.hash(body.new_password);
      if (!(await replacePassword(db, { user, oldHash, newHash }))) throw wrongPassword();
      return toEnvelope('Password changed successfully.', null);
    },
  });
};
