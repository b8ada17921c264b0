import { userRoutes, type ManagedUser } from '@berth/contract';
import * as users from '../../../accounts/managed-users.ts';
import { ValidationError } from '../../../errors.ts';
import { assertRegions } from '../../../operation/limit-regions.ts';
import type { ActingOperator } from '../../../operation/acting-operator.ts';
import * as changes from '../../../operation/user-changes.ts';
import { createSecret } from '../../../secrets/token-secret.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toActingOperator, type Caller } from '../../http/caller.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext, type RouteInput } from '../../http/route.ts';

const registerCreation = (context: RouteContext): void => {
  const { config, db, passwords, regions } = context.services;
  const toLink = (input: Pick<RouteInput<typeof userRoutes.createPasswordLink>, 'request'>, code: string) =>
    toPublicUrl(input.request, config, `/#password=${code}`).href;

  registerRoute(context, userRoutes.createUser, {
    handle: async (input) => {
      await assertRegions(regions, input.body.limits?.regions);
      const passwordHash = await passwords.hash(createSecret());
      const made = await db.transactionFor(input.caller.user.id, (tx) =>
        changes.createUser(tx, toActingOperator(input), { ...input.body, passwordHash }),
      );
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
      const { code, expiresAt } = await db.transactionFor(input.caller.user.id, (tx) =>
        changes.createUserLink(tx, toActingOperator(input), input.params.user_id),
      );
      const link = { url: toLink(input, code), expires_at: expiresAt };
      return toEnvelope('Link created successfully. It is shown only this once.', link);
    },
  });
};

const registerChanges = (context: RouteContext): void => {
  const { services } = context;
  const { db } = services;
  const assertFound = ({ params, caller }: { params: { user_id: string }; caller: Caller }) =>
    changes.getUser(db.slowFor(caller.user.id), params.user_id);

  registerRoute(context, userRoutes.updateUser, {
    assertFound,
    handle: async (input) => {
      const { body, caller, params } = input;
      const by = toActingOperator(input);
      if (body.status === 'suspended') changes.assertNotOwn(by, params.user_id);
      await assertRegions(services.regions, body.limits?.regions);
      const user = await db.transactionFor(caller.user.id, (tx) =>
        changes.changeUser(tx, services, by, params.user_id, body),
      );
      return toEnvelope('User updated successfully.', user);
    },
  });

  registerRoute(context, userRoutes.signOutUser, {
    handle: async (input) => {
      await db.transactionFor(input.caller.user.id, (tx) =>
        changes.signOutUser(tx, toActingOperator(input), input.params.user_id),
      );
      return toEnvelope('The user was signed out everywhere.', null);
    },
  });

  registerRoute(context, userRoutes.closeUser, {
    assertFound,
    handle: async (input) => {
      const by: ActingOperator = toActingOperator(input);
      const closing = { id: input.params.user_id, reason: input.body.reason };
      changes.assertNotOwn(by, closing.id);
      const user = await db.transactionFor(input.caller.user.id, (tx) => changes.closeUser(tx, services, by, closing));
      return toEnvelope('The account was closed.', user);
    },
  });

  registerRoute(context, userRoutes.reopenUser, {
    handle: async (input) => {
      const user = await db.transactionFor(input.caller.user.id, (tx) =>
        changes.reopenClosedUser(tx, toActingOperator(input), input.params.user_id),
      );
      return toEnvelope('The account was reopened. It is suspended.', user);
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
      toEnvelope('User retrieved successfully.', await changes.getUser(db.slowFor(caller.user.id), params.user_id)),
  });
};
