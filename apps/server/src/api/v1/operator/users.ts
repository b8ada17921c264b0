import { AccountStatus, hasRole, userRoutes, type AuditAction, type ManagedUser } from '@berth/contract';
import { reopenUser, writeClosing } from '../../../accounts/closing.ts';
import { createAccount } from '../../../accounts/create-account.ts';
import * as users from '../../../accounts/managed-users.ts';
import { createPasswordCode } from '../../../accounts/password-links.ts';
import { assertOwnerRemains, assertStillOwner, holdRoles, writeRole } from '../../../accounts/roles.ts';
import { recordAudit, type Actor } from '../../../audit/record.ts';
import { suspendTerminals } from '../../../runs/suspension.ts';
import type { Queryable } from '../../../db/database.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { createSecret } from '../../../secrets/token-secret.ts';
import { deleteTokensOfUser } from '../../../tokens/queries.ts';
import { deleteSignInLinks } from '../../../tokens/sign-in-links.ts';
import { assertRegions } from './limit-regions.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import type { Caller } from '../../http/caller.ts';
import { registerRoute, type RouteContext, type RouteInput } from '../../http/route.ts';

const findUser = async (db: Queryable, id: string): Promise<ManagedUser> => {
  const user = await users.findUser(db, id);
  if (!user) throw AppError.notFound('User');
  return user;
};

const isOwn = (caller: Caller, id: string): boolean => id.toLowerCase() === caller.user.id;

/** Other operators are managed by owners alone. */
const holdUser = async (tx: Queryable, caller: Caller, id: string): Promise<users.HeldUser> => {
  const held = await users.lockManagedUser(tx, id);
  if (!held) throw AppError.notFound('User');
  const isManaged = held.role === null || isOwn(caller, id) || hasRole(caller.user.role, 'owner');
  if (!isManaged) throw new AppError('missing_role');
  return held;
};

/** What the audit log keeps of a user: no name and no address, because it outlives the account; only that they changed. */
const toKept = ({ plan, limits, status, suspension, role, closes_at }: ManagedUser) => {
  return { plan, limits, status, suspension, role, closes_at };
};

const toTarget = (id: string) => ({ target: { type: 'user', id: id.toLowerCase() }, userId: id.toLowerCase() });

/** @returns the user as it is since */
const noteChange = async (
  tx: Queryable,
  actor: Actor,
  action: AuditAction,
  before: ManagedUser,
): Promise<ManagedUser> => {
  const after = await findUser(tx, before.id);
  const isRenamed = before.name !== after.name || before.external_id !== after.external_id;
  const is = { ...toKept(after), ...(isRenamed ? { name: 'changed' } : {}) };
  await recordAudit(tx, actor, { action, ...toTarget(after.id), before: toKept(before), after: is });
  return after;
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
        const user = await findUser(tx, account.id);
        await recordAudit(tx, input.actor, { action: 'user.create', ...toTarget(user.id), after: toKept(user) });
        return { user, code, expiresAt };
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
        const { user_id: id } = input.params;
        const { status } = await holdUser(tx, input.caller, id);
        if (status !== AccountStatus.ACTIVE) throw new AppError('user_not_active');
        const made = await createPasswordCode(tx, id);
        const after = { expires_at: made.expiresAt };
        await recordAudit(tx, input.actor, { action: 'user.create_password_link', ...toTarget(id), after });
        return made;
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
    handle: async ({ caller, actor, params, body }) => {
      const { user_id: id } = params;
      const { status, suspension, role, ...changes } = body;
      if (status === 'suspended' && isOwn(caller, id)) throw new AppError('own_account');
      await assertRegions(context, changes.limits?.regions);
      const user = await db.transactionFor(caller.user.id, async (tx) => {
        if (role !== undefined || suspension) await holdRoles(tx);
        if (role !== undefined) await assertStillOwner(tx, caller.user.id);
        const held = await holdUser(tx, caller, id);
        if (status !== undefined && held.status === AccountStatus.CLOSED) throw new AppError('user_closed');
        const before = await findUser(tx, id);
        await users.writeUser(tx, id, changes);
        if (role !== undefined) await writeRole(tx, id, role);
        if (status !== undefined) await users.writeSuspension(tx, id, suspension ?? null);
        if (suspension) await suspendTerminals(tx, services, id, suspension.terminals);
        if (held.role === 'owner' && (role !== undefined || suspension)) await assertOwnerRemains(tx);
        return noteChange(tx, actor, 'user.update', before);
      });
      return toEnvelope('User updated successfully.', user);
    },
  });

  registerRoute(context, userRoutes.signOutUser, {
    handle: async ({ caller, actor, params: { user_id: id } }) => {
      await db.transactionFor(caller.user.id, async (tx) => {
        await holdUser(tx, caller, id);
        await deleteTokensOfUser(tx, id);
        await deleteSignInLinks(tx, id);
        await recordAudit(tx, actor, { action: 'user.sign_out', ...toTarget(id) });
      });
      return toEnvelope('The user was signed out everywhere.', null);
    },
  });
};

const registerClosing = (context: RouteContext): void => {
  const { services } = context;
  const { db } = services;

  registerRoute(context, userRoutes.closeUser, {
    assertFound: ({ params, caller }) => findUser(db.slowFor(caller.user.id), params.user_id),
    handle: async ({ caller, actor, params: { user_id: id }, body: { reason } }) => {
      if (isOwn(caller, id)) throw new AppError('own_account');
      const user = await db.transactionFor(caller.user.id, async (tx) => {
        await holdRoles(tx);
        await assertStillOwner(tx, caller.user.id);
        const held = await holdUser(tx, caller, id);
        const before = await findUser(tx, id);
        // Closed once more: the time until the removal does not begin anew.
        if (held.status === AccountStatus.CLOSED) return before;
        await writeClosing(tx, id, reason);
        await suspendTerminals(tx, services, id, 'stop');
        if (held.role === 'owner') await assertOwnerRemains(tx);
        return noteChange(tx, actor, 'user.close', before);
      });
      return toEnvelope('The account was closed.', user);
    },
  });

  registerRoute(context, userRoutes.reopenUser, {
    handle: async ({ caller, actor, params: { user_id: id } }) => {
      const user = await db.transactionFor(caller.user.id, async (tx) => {
        await holdUser(tx, caller, id);
        const before = await findUser(tx, id);
        if (!(await reopenUser(tx, id))) throw new AppError('user_not_closed');
        return noteChange(tx, actor, 'user.reopen', before);
      });
      return toEnvelope('The account was reopened. It is suspended.', user);
    },
  });
};

export const registerUserRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerCreation(context);
  registerChanges(context);
  registerClosing(context);

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
