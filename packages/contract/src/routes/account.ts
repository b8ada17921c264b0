import { abilities, type Ability } from '../abilities.ts';
import { parseIsoDateTime } from '../dates.ts';
import type { FieldError } from '../errors.ts';
import { DEFAULT_NOTIFICATIONS_PER_PAGE } from '../limits.ts';
import { notificationTypes, securityNotificationTypes, type NotificationType } from '../notifications.ts';
import { BrowserSession, Offers, Profile, StorageUsage, Token, UserNotification } from '../resources.ts';
import {
  AnyPagination,
  Envelope,
  EnvelopeOrRefusal,
  notEmpty,
  Null,
  OneOf,
  pageQuery,
  Type,
  type Static,
} from '../schema.ts';
import { NewPassword } from './auth.ts';
import { ConfirmedSession } from '../users/resources.ts';
import { defineRoute } from './route.ts';

const Kinds = Type.Object(Object.fromEntries(notificationTypes.map((type) => [type, Type.Boolean()])));

/** Of which kinds of notification a user is notified. */
export const NotificationSettings = Type.Object({
  kinds: Type.Unsafe<Record<NotificationType, boolean>>({
    ...Kinds,
    description: 'Of which kinds the user is notified; of all, unless some were turned off',
  }),
});
/** Of which kinds of notification a user is notified. */
export type NotificationSettings = Static<typeof NotificationSettings>;

/** Which kinds to turn on or off. */
export const NotificationSettingsChanges = Type.Object({
  kinds: Type.Unsafe<Partial<Record<NotificationType, boolean>>>({
    ...Type.Partial(Kinds),
    description: 'The kinds to turn on or off; the others stay as they are',
  }),
});

const user = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Account', auth: 'user', ability }) as const;

const paginated = <Data extends Parameters<typeof Type.Array>[0]>(item: Data) =>
  Type.Object({ ok: Type.Literal(true), msg: Type.String(), data: Type.Array(item), pagination: AnyPagination });

const changePasswordRules = ({ body }: { body: Record<string, unknown> }): FieldError[] => {
  const errors: FieldError[] = [];
  const [current, wanted, confirmed] = ['current_password', 'new_password', 'new_password_confirmation'].map((field) =>
    String(body[field]).normalize('NFKC'),
  );
  if (wanted === current) {
    errors.push({ field: 'new_password', text: 'The new password field and current password must be different.' });
  }
  if (wanted !== confirmed) {
    errors.push({
      field: 'new_password_confirmation',
      text: 'The new password confirmation field must match new password.',
    });
  }
  return errors;
};

/** What is turned off is not written at all, so security notices cannot be. */
const notificationSettingsRules = ({ body }: { body: Record<string, unknown> }): FieldError[] =>
  securityNotificationTypes
    .filter((type) => (body.kinds as Record<string, unknown>)[type] === false)
    .map((type) => ({ field: `kinds.${type}`, text: 'Security notices cannot be turned off.' }));

export const accountRoutes = {
  getProfile: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/profile',
    summary: 'Read the profile',
    response: Envelope(Profile),
  }),
  updateProfile: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'account.update',
    url: '/v1/my/account/profile',
    summary: 'Change name or default project',
    input: 'patch',
    body: Type.Object({
      name: Type.Optional(Type.String({ minLength: 3, maxLength: 255 })),
      default_project_id: Type.Optional(Type.String({ description: "One of the caller's projects" })),
    }),
    response: Envelope(Null),
  }),
  listNotifications: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/notifications',
    summary: 'List notifications, newest first',
    query: Type.Object({
      ...pageQuery(DEFAULT_NOTIFICATIONS_PER_PAGE),
      unread: Type.Optional(Type.Boolean({ description: 'true: only unread ones' })),
    }),
    response: paginated(UserNotification),
  }),
  readNotification: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/account/notifications/:notification_id/read',
    summary: 'Mark a notification read',
    response: Type.Object({ ok: Type.Literal(true), message: Type.String(), data: UserNotification }),
  }),
  readAllNotifications: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/account/notifications/read-all',
    summary: 'Mark every notification read; returns those that changed',
    response: Type.Object({ ok: Type.Literal(true), message: Type.String(), data: Type.Array(UserNotification) }),
  }),
  getNotificationSettings: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/notification-settings',
    summary: 'Read of which kinds the user is notified',
    response: Envelope(NotificationSettings),
  }),
  updateNotificationSettings: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'notification_settings.update',
    url: '/v1/my/account/notification-settings',
    summary: 'Turn kinds of notification on or off; security notices stay on',
    input: 'patch',
    isStrict: true,
    body: NotificationSettingsChanges,
    rules: notificationSettingsRules,
    response: Envelope(NotificationSettings),
  }),
  getOffers: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/offers',
    summary: 'Read the account offers',
    response: Envelope(Offers),
  }),
  getUsage: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/usage',
    summary: 'Read how much the account stores, and may store',
    response: Envelope(StorageUsage),
  }),
  listTokens: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/tokens',
    summary: 'List API tokens, newest first',
    query: Type.Object(pageQuery()),
    response: paginated(Token),
  }),
  createToken: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'token.create',
    url: '/v1/my/account/tokens',
    summary: 'Create an API token; its secret is shown only this once',
    // It may do what its operator may.
    needsConfirmation: ({ isOperator }) => isOperator,
    isStrict: true,
    body: Type.Object({
      name: Type.String({ maxLength: 255 }),
      expires_at: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601, in the future' })),
      abilities: Type.Optional(
        Type.Array(OneOf(abilities), { ...notEmpty, maxItems: 100, description: 'All of them if it is left out' }),
      ),
    }),
    rules: ({ body }, now) =>
      typeof body.expires_at === 'string' && (parseIsoDateTime(body.expires_at) ?? now) <= now
        ? [{ field: 'expires_at', text: 'The expires at field must be a date after now.' }]
        : [],
    response: EnvelopeOrRefusal(
      Type.Object({ token: Type.String({ description: '`<id>|<secret>`' }), name: Type.String() }),
    ),
  }),
  deleteToken: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'token.delete',
    url: '/v1/my/account/tokens/:token_id',
    summary: 'Revoke an API token',
    response: Envelope(Null),
  }),
  listSessions: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/account/sessions',
    summary: 'List the sessions of browsers, the one used last first',
    response: Envelope(Type.Array(BrowserSession)),
  }),
  confirmSession: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'session.confirm',
    url: '/v1/my/account/sessions/confirm',
    summary: 'Give the password again: for ten minutes the session may do what destroys or reveals',
    limit: 'credentials',
    isStrict: true,
    body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 1024 }) }),
    response: Envelope(ConfirmedSession),
  }),
  deleteSessions: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'session.delete',
    url: '/v1/my/account/sessions',
    summary: 'End all sessions but the one that calls',
    response: Envelope(Null),
  }),
  deleteSession: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'session.delete',
    url: '/v1/my/account/sessions/:session_id',
    summary: 'End a session',
    response: Envelope(Null),
  }),
  changePassword: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'password.change',
    url: '/v1/my/account/security/change-password',
    summary: 'Change the password; revokes every token',
    limit: 'passwordChange',
    body: Type.Object({
      current_password: Type.String({ minLength: 6, maxLength: 1024 }),
      new_password: NewPassword,
      new_password_confirmation: Type.String({ maxLength: 1024 }),
    }),
    rules: changePasswordRules,
    response: Envelope(Null),
  }),
};
