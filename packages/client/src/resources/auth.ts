import type { CallOptions } from '../options.ts';
import type {
  Credentials,
  CurrentSession,
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
  register(body: Registration, options?: CallOptions): Promise<Registered> {
    return this.transport.data(this.#toPost('register', body, options));
  }

  /** Signs in: with `session: true` by a cookie that the browser keeps, otherwise the answer has a token. */
  login(body: Credentials, options?: CallOptions): Promise<SignedIn> {
    return this.transport.data(this.#toPost('login', body, options));
  }

  /** Begins a session with the code of a sign-in link, which works once. */
  signInLink(code: string, options?: CallOptions): Promise<SignedIn> {
    return this.transport.data(this.#toPost('sign-in-link', { code }, options));
  }

  /** Who is signed in. */
  session(options?: CallOptions): Promise<CurrentSession> {
    return this.transport.data({ method: 'GET', path: '/v1/auth/session', options });
  }

  /** What a page for signing in may offer; it needs no account. */
  options(options?: CallOptions): Promise<SignInOptions> {
    return this.transport.data({ method: 'GET', path: '/v1/auth/options', isAnonymous: true, options });
  }

  /** Revokes the token, or ends the session. */
  async logout(options?: CallOptions): Promise<void> {
    await this.transport.data({ method: 'POST', path: '/v1/auth/logout', options }, 'nothing');
    this.transport.forgetSession();
  }

  /** Mails a code to whoever has the address; the answer is the same where nobody has it. */
  async forgotPassword(email: string, options?: CallOptions): Promise<void> {
    await this.transport.data(this.#toPost('forgot-password', { email }, options), 'nothing');
  }

  /** Sets a new password with the mailed code. All tokens and sessions end. */
  async resetPassword(body: PasswordReset, options?: CallOptions): Promise<void> {
    await this.transport.data(this.#toPost('reset-password', body, options), 'nothing');
  }

  #toPost(action: string, body: object, options: CallOptions | undefined) {
    return { method: 'POST', path: `/v1/auth/${action}`, body, isAnonymous: true, options } as const;
  }
}
