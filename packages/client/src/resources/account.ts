import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  BrowserSession,
  ConfirmedSession,
  CreatedToken,
  NewToken,
  NotificationQuery,
  NotificationSettings,
  NotificationSettingsChanges,
  Offers,
  PageQuery,
  PasswordChange,
  Profile,
  ProfileChanges,
  StorageUsage,
  Token,
  UserNotification,
} from '../types.ts';
import { Group } from './group.ts';

const TOKENS = '/v1/my/account/tokens';
const SESSIONS = '/v1/my/account/sessions';
const NOTIFICATIONS = '/v1/my/account/notifications';
const NOTIFICATION_SETTINGS = '/v1/my/account/notification-settings';

/**
 * API tokens.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { token } = await berth.account.tokens.create({ name: 'nightly report', abilities: ['read'] });
 * await berth.account.tokens.delete(Number(token.split('|')[0]));
 */
export class AccountTokens extends Group {
  /** All tokens, newest first. */
  list(options?: CallOptions): List<Token> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: PageQuery = {}, options?: CallOptions): ApiPromise<Page<Token>> {
    return this.transport.json({ method: 'GET', path: TOKENS, query, options }, 'page');
  }

  /** Creates a token. Its secret is in this response only, so a creation whose response is lost is not repeated. */
  create(body: NewToken, options?: CallOptions): ApiPromise<CreatedToken> {
    return this.transport.data({ method: 'POST', path: TOKENS, body, options });
  }

  /** Revokes a token at once. */
  delete(id: number, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/account/tokens/${id}`, options }));
  }
}

/**
 * Browsers that are signed in.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * await berth.account.sessions.list().toArray(); // => []
 */
export class AccountSessions extends Group {
  /** All sessions, the one used last first. */
  list(options?: CallOptions): List<BrowserSession> {
    return new List(() => this.transport.json({ method: 'GET', path: SESSIONS, options }, 'list'));
  }

  /** Confirms the calling session with the password: for ten minutes it may do what needs it (`password_required`). */
  confirm(password: string, options?: CallOptions): ApiPromise<ConfirmedSession> {
    return this.transport.data({ method: 'POST', path: `${SESSIONS}/confirm`, body: { password }, options });
  }

  /** Ends a session. */
  delete(id: number, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/account/sessions/${id}`, options }));
  }

  /** Ends all sessions but the calling one. */
  deleteOthers(options?: CallOptions): ApiPromise<void> {
    return this.transport.done({ method: 'DELETE', path: SESSIONS, options });
  }
}

/**
 * The user's notifications.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { id, type } of berth.account.notifications.list({ unread: true })) {
 *   console.log(type);
 *   await berth.account.notifications.read(id);
 * }
 */
export class AccountNotifications extends Group {
  /** All notifications, newest first; with `unread: true` the unread ones. */
  list(query: NotificationQuery = {}, options?: CallOptions): List<UserNotification> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: NotificationQuery = {}, options?: CallOptions): ApiPromise<Page<UserNotification>> {
    return this.transport.json({ method: 'GET', path: NOTIFICATIONS, query, options }, 'page');
  }

  /** Of which kinds the user is notified. */
  settings(options?: CallOptions): ApiPromise<NotificationSettings> {
    return this.transport.data({ method: 'GET', path: NOTIFICATION_SETTINGS, options });
  }

  /** Turns kinds on or off: what is off is not written at all. Security notices stay on. */
  updateSettings(body: NotificationSettingsChanges, options?: CallOptions): ApiPromise<NotificationSettings> {
    return this.transport.data({ method: 'PATCH', path: NOTIFICATION_SETTINGS, body, options });
  }

  /** Marks one read. */
  read(id: string, options?: CallOptions): ApiPromise<UserNotification> {
    return this.transport.data(() => ({
      method: 'POST',
      post: 'same',
      path: toPath`/v1/my/account/notifications/${id}/read`,
      options,
    }));
  }

  /** Marks all read. @returns those that were unread */
  readAll(options?: CallOptions): ApiPromise<UserNotification[]> {
    return this.transport.data({ method: 'POST', post: 'same', path: `${NOTIFICATIONS}/read-all`, options }, 'list');
  }
}

/**
 * The account of whom the token or the session belongs to.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { name, email } = await berth.account.profile();
 * console.log(`${name} <${email}>`);
 */
export class Account extends Group {
  /** API tokens. */
  readonly tokens = new AccountTokens(this.transport, this.changes);
  /** Browsers that are signed in. */
  readonly sessions = new AccountSessions(this.transport, this.changes);
  /** Notifications. */
  readonly notifications = new AccountNotifications(this.transport, this.changes);

  /** Who it belongs to, its plan and its default project. */
  profile(options?: CallOptions): ApiPromise<Profile> {
    return this.transport.data({ method: 'GET', path: '/v1/my/account/profile', options });
  }

  /** Changes the name or the default project. */
  updateProfile(body: ProfileChanges, options?: CallOptions): ApiPromise<void> {
    return this.transport.done({ method: 'PATCH', path: '/v1/my/account/profile', body, options });
  }

  /** Changes the password. All tokens and sessions end, the calling one too. */
  changePassword(body: PasswordChange, options?: CallOptions): ApiPromise<void> {
    return this.transport.done({ method: 'POST', path: '/v1/my/account/security/change-password', body, options });
  }

  /** What the account is offered. */
  offers(options?: CallOptions): ApiPromise<Offers> {
    return this.transport.data({ method: 'GET', path: '/v1/my/account/offers', options });
  }

  /** How much the account stores, and may store. */
  usage(options?: CallOptions): ApiPromise<StorageUsage> {
    return this.transport.data({ method: 'GET', path: '/v1/my/account/usage', options });
  }
}
