import type { FieldError } from '../errors.ts';
import { AnyBoundedPagination, Envelope, Line, notEmpty, Null, Nullable, OneOf, pageQuery, Type } from '../schema.ts';
import { ManagedUser, PasswordLink, Role, suspendedTerminals, UserLimits, userStatuses } from '../users/resources.ts';
import type { Ability } from '../abilities.ts';
import { Email } from './auth.ts';
import { defineRoute } from './route.ts';

const operator = <const Needed extends Ability>(ability: Needed) =>
  ({ tag: 'Users (operator)', auth: 'operator', ability }) as const;

const USERS = '/v1/operator/users';
const name = Line({ minLength: 3, maxLength: 255 });
/** What a user is created with, or invited. */
export const settings = {
  plan: Type.Optional(Type.Integer({ minimum: 0, maximum: 32_767, description: '0 = free' })),
  limits: Type.Optional(Type.Partial(UserLimits, { description: 'What is not given stays as it is' })),
};

/** A suspension says why, and what becomes of the terminals: nothing is assumed. */
const findStatusErrors = ({ status, suspension }: Record<string, unknown>): FieldError[] => {
  if (status === 'suspended' && (suspension === undefined || suspension === null)) {
    const text = 'The suspension field is required when status is suspended.';
    return [{ field: 'suspension', text, hint: 'Send {"reason": "…", "terminals": "keep", "trading_off" or "stop"}.' }];
  }
  return suspension !== undefined && status !== 'suspended'
    ? [{ field: 'suspension', text: 'The suspension field is only for the status suspended.' }]
    : [];
};

export const userRoutes = {
  listUsers: defineRoute({
    ...operator('read'),
    method: 'GET',
    url: USERS,
    summary: 'List users, newest first',
    query: Type.Object({
      ...pageQuery(),
      search: Type.Optional(
        Type.String({ ...notEmpty, maxLength: 255, description: 'In name, e-mail address and external id' }),
      ),
      status: Type.Optional(OneOf(userStatuses)),
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(ManagedUser),
      pagination: AnyBoundedPagination,
    }),
  }),
  createUser: defineRoute({
    ...operator('write'),
    method: 'POST',
    audit: 'user.create',
    url: USERS,
    summary: 'Create a user, with a link to set the first password; also where registration is closed',
    isStrict: true,
    body: Type.Object({
      name,
      email: Email,
      external_id: Type.Optional(Line({ maxLength: 255, description: 'For programs of the operator; unique' })),
      ...settings,
    }),
    response: Envelope(
      Type.Object({
        /** As operators see the user. */
        user: ManagedUser,
        /** To set the first password. */
        password_link: PasswordLink,
      }),
    ),
  }),
  readUser: defineRoute({
    ...operator('read'),
    method: 'GET',
    url: `${USERS}/:user_id`,
    summary: 'Read a user',
    response: Envelope(ManagedUser),
  }),
  updateUser: defineRoute({
    ...operator('write'),
    method: 'PATCH',
    audit: 'user.update',
    url: `${USERS}/:user_id`,
    summary: 'Change a user, or suspend one; takes effect with the next request',
    input: 'patch',
    isStrict: true,
    errors: ['own_account', 'last_owner', 'user_closed'],
    needsConfirmation: ({ body }) => body.role !== undefined,
    body: Type.Object({
      name: Type.Optional(name),
      external_id: Type.Optional(
        Nullable('string', { maxLength: 255, singleLine: true, description: 'For programs of the operator; unique' }),
      ),
      ...settings,
      role: Type.Optional(Role),
      status: Type.Optional(OneOf(['active', 'suspended'], { description: 'Whether the user may sign in' })),
      suspension: Type.Optional(
        Type.Object(
          {
            reason: Line({ minLength: 1, maxLength: 500, description: 'For operators' }),
            terminals: OneOf(suspendedTerminals, {
              description:
                '`keep`: they go on, `trading_off`: their algo trading is switched off, `stop`: they are stopped',
            }),
          },
          { additionalProperties: false, description: 'Needed with the status suspended' },
        ),
      ),
    }),
    rules: ({ body }) => findStatusErrors(body),
    response: Envelope(ManagedUser),
  }),
  createPasswordLink: defineRoute({
    ...operator('write'),
    method: 'POST',
    audit: 'user.create_password_link',
    url: `${USERS}/:user_id/password-link`,
    summary: 'Create a link with which a user sets a new password; earlier links of the user end',
    errors: ['user_not_active'],
    needsConfirmation: true,
    isStrict: true,
    response: Envelope(PasswordLink),
  }),
  signOutUser: defineRoute({
    ...operator('write'),
    method: 'POST',
    audit: 'user.sign_out',
    url: `${USERS}/:user_id/sign-out`,
    summary: 'End all sessions of a user, and revoke all tokens',
    isStrict: true,
    response: Envelope(Null),
  }),
  closeUser: defineRoute({
    ...operator('delete'),
    role: 'owner',
    needsConfirmation: true,
    method: 'DELETE',
    audit: 'user.close',
    url: `${USERS}/:user_id`,
    summary: 'Close the account of a user: refused and stopped at once, removed at `closes_at`, 30 days later',
    errors: ['own_account', 'last_owner'],
    isStrict: true,
    body: Type.Object({ reason: Line({ minLength: 1, maxLength: 500, description: 'For operators' }) }),
    response: Envelope(ManagedUser),
  }),
  reopenUser: defineRoute({
    ...operator('write'),
    role: 'owner',
    method: 'POST',
    audit: 'user.reopen',
    url: `${USERS}/:user_id/reopen`,
    summary: 'Take back the closing of an account: the user is suspended',
    errors: ['user_not_closed'],
    isStrict: true,
    response: Envelope(ManagedUser),
  }),
};
