import { AccountStatus, userRoutes, type ManagedUser } from '@berth/contract';
import { createAccount } from '../../../accounts/create-account.ts';
import * as users from '../../../accounts/managed-users.ts';
import { createPasswordCode } from '../../../accounts/password-links.ts';
import { suspendTerminals } from '../../../runs/suspension.ts';
import type { Queryable } from '../../../db/database.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { createSecret } from '../../../secrets/token-secret.ts';
import { deleteTokensOfUser } from '../../../tokens/queries.ts';
import { deleteSignInLinks } from '../../../tokens/sign-in-links.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext, type RouteInput } from '../../http/route.ts';

const findUser = async (db: Queryable, id: string): Promise<ManagedUser> => {
  const user = await users.findUser(db, id);
  if (!user) throw AppError.notFound('User');
  return user;
};

const holdUser = async (tx: Queryable, id: string): Promise<{ status: AccountStatus }> => {
  const held = await users.lockManagedUser(tx, id);
  if (!held) throw AppError.notFound('User');
  return held;
};

/** Regions are listed, so that a typo does not leave a user without any. */
const assertRegions = async (context: RouteContext, regions: readonly number[] | null | undefined): Promise<void> => {
  if (!regions) return;
  const known = new Set((await context.services.regions.list()).map(({ id }) => id));
  const unknown = regions.findIndex((id) => !known.has(id));
  if (unknown < 0) return;
  const field = `limits.regions.${unknown}`;
  throw ValidationError.of(field, `The selected ${field} is invalid.`, 'GET /v1/operator/overview lists the regions.');
};

const registerCreation = (context: RouteContext): void => {
  const { config, db, passwords } = context.services;
  const toLink = (input: Pick<RouteInput<typeof userRoutes.createPasswordLink>, 'request'>, code: string) =>
    toPublicUrl(input.request, config, `/#password=${code}`).href;

  registerRoute(context, userRoutes.createUser, {
    handle: async (input) => {
      const { name, email, ...changes } = input.body;
      await assertRegions(context, changes.limits?.regions);
      // Nobody knows it: the user has no password until the link was used.
      const passwordHash = await passwords.hash(createSecret());
      const made = await db.transactionFor(input.caller.user.id, async (tx) => {
        const account = await createAccount(tx, { name, email, passwordHash });
        if (!account) return undefined;
        await users.writeUser(tx, account.id, changes);
        const { code, expiresAt } = await createPasswordCode(tx, account.id);
        return { user: await findUser(tx, account.id), code, expiresAt };
      });
      if (!made)
        throw ValidationError.of(
          'email',
          'The email has already been taken.',
          'GET /v1/operator/users?search= finds it.',
        );
      const password_link = { url: toLink(input, made.code), expires_at: made.expiresAt };
      return toEnvelope('User created successfully.', { user: made.user, password_link });
    },
  });

  registerRoute(context, userRoutes.createPasswordLink, {
    handle: async (input) => {
      const { code, expiresAt } = await db.transactionFor(input.caller.user.id, async (tx) => {
        const { status } = await holdUser(tx, input.params.user_id);
        if (status !== AccountStatus.ACTIVE) throw new AppError('user_not_active');
        return createPasswordCode(tx, input.params.user_id);
      });
      const link = { url: toLink(input, code), expires_at: expiresAt };
      return toEnvelope('Link created successfully. It is shown only this once.', link);
    },
  });
};

const registerChanges = (context: RouteContext): void => {
  const { services } = context;
  const { db } = services;

  registerRoute(context, userRoutes.updateUser, {
    assertFound: ({ params, caller }) => findUser(db.slowFor(caller.user.id), params.user_id),
    handle: async ({ caller, params, body }) => {
      const { user_id: id } = params;
      const { status, suspension, ...changes } = body;
      if (status === 'suspended' && id.toLowerCase() === caller.user.id) throw new AppError('own_account');
      await assertRegions(context, changes.limits?.regions);
      const user = await db.transactionFor(caller.user.id, async (tx) => {
        await holdUser(tx, id);
        await users.writeUser(tx, id, changes);
        if (status !== undefined) await users.writeSuspension(tx, id, suspension ?? null);
        if (suspension) await suspendTerminals(tx, services, id, suspension.terminals);
        return findUser(tx, id);
      });
      return toEnvelope('User updated successfully.', user);
    },
  });

  registerRoute(context, userRoutes.signOutUser, {
    handle: async ({ caller, params: { user_id: id } }) => {
      await db.transactionFor(caller.user.id, async (tx) => {
        await holdUser(tx, id);
        await deleteTokensOfUser(tx, id);
        await deleteSignInLinks(tx, id);
      });
      return toEnvelope('The user was signed out everywhere.', null);
    },
  });
};

export const registerUserRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerCreation(context);
  registerChanges(context);

  registerRoute(context, userRoutes.listUsers, {
    handle: async (input) => {
      const { query, request, caller } = input;
      const own = db.slowFor(caller.user.id);
      const page = readPageInput<ManagedUser>(userRoutes.listUsers, input, newestFirst);
      const filter = { search: query.search, status: query.status };
      const [data, total] = await Promise.all([users.listUsers(own, filter, page), users.countUsers(own, filter)]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Users retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, userRoutes.readUser, {
    handle: async ({ params, caller }) =>
      toEnvelope('User retrieved successfully.', await findUser(db.slowFor(caller.user.id), params.user_id)),
  });
};
