import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import type {
  AcceptedInvitation,
  Credentials,
  CurrentSession,
  InvitationAcceptance,
  PasswordReset,
  Registered,
  Registration,
  SignedIn,
  SignInOptions,
} from '../types.ts';
import { Group } from './group.ts';

/**
 * Signing in and out.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * (await berth.auth.session()).user.name; // => 'Ada Lovelace'
 */
export class Auth extends Group {
  /** Creates an account, and a token with all rights. */
  register(body: Registration, options?: CallOptions): ApiPromise<Registered> {
    return this.transport.data(this.#toPost('register', body, options));
  }

  /** Signs in: with `session: true` by a cookie that the browser keeps, otherwise the response has a token. */
  login(body: Credentials, options?: CallOptions): ApiPromise<SignedIn> {
    return this.transport.data(this.#toPost('login', body, options));
  }

  /** Begins a session with the code of a sign-in link, which works once. */
  signInLink(code: string, options?: CallOptions): ApiPromise<SignedIn> {
    return this.transport.data(this.#toPost('sign-in-link', { code }, options));
  }

  /** Sets a password with the code of a link that an operator made. All tokens and sessions end. */
  setPassword(code: string, password: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(this.#toPost('set-password', { code, password }, options));
  }

  /** Creates an account with the code of an invitation, which works once. */
  acceptInvitation(body: InvitationAcceptance, options?: CallOptions): ApiPromise<AcceptedInvitation> {
    return this.transport.data(this.#toPost('accept-invitation', body, options));
  }

  /** Who is signed in. */
  session(options?: CallOptions): ApiPromise<CurrentSession> {
    return this.transport.data({ method: 'GET', path: '/v1/auth/session', options });
  }

  /** What a page for signing in may offer; it needs no account. */
  options(options?: CallOptions): ApiPromise<SignInOptions> {
    return this.transport.data({ method: 'GET', path: '/v1/auth/options', isAnonymous: true, options });
  }

  /** Revokes the token, or ends the session. */
  logout(options?: CallOptions): ApiPromise<void> {
    const forget = () => this.transport.forgetSession();
    return this.transport.done({ method: 'POST', path: '/v1/auth/logout', options }, forget);
  }

  /** Mails a code to the owner of the address; the response is the same where nobody has it. */
  forgotPassword(email: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(this.#toPost('forgot-password', { email }, options));
  }

  /** Sets a new password with the mailed code. All tokens and sessions end. */
  resetPassword(body: PasswordReset, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(this.#toPost('reset-password', body, options));
  }

  #toPost(action: string, body: object, options: CallOptions | undefined) {
    return { method: 'POST', path: `/v1/auth/${action}`, body, isAnonymous: true, options } as const;
  }
}
