import { accountRoutes } from '@berth/contract';
import { findPasswordHash } from '../../../../accounts/credentials.ts';
import { assertUncommon } from '../../../../accounts/password-rules.ts';
import { ValidationError } from '../../../../errors.ts';
import { replacePassword } from '../../../../accounts/replace-password.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

export const registerSecurityRoutes = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  const wrongPassword = () => ValidationError.of('current_password', 'The current password is incorrect.');
  registerRoute(context, accountRoutes.changePassword, {
    handle: async ({ caller: { user }, actor, body }) => {
      assertUncommon('new_password', body.new_password);
      const oldHash = await findPasswordHash(db, user.id);
      if (!(await passwords.isMatch(body.current_password, oldHash)) || !oldHash) throw wrongPassword();
      const newHash = await passwords.hash(body.new_password);
      if (!(await replacePassword(db, { user, oldHash, newHash, by: { actor, action: 'password.change' } })))
        throw wrongPassword();
      return toEnvelope('Password changed successfully.', null);
    },
  });
};
