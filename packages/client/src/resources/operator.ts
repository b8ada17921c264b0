import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  CreatedUser,
  Host,
  HostQuery,
  HostTerminal,
  JoinToken,
  ManagedUser,
  NewJoinToken,
  NewUser,
  OperatorOverview,
  PageQuery,
  PasswordLink,
  UserChanges,
  UserQuery,
} from '../types.ts';
import { Group } from './group.ts';

/**
 * Machines that run terminals.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { name, region } of berth.operator.hosts.list()) console.log(name, region);
 */
export class Hosts extends Group {
  /** All hosts; `include: 'details'` adds what they say of themselves. */
  list(query: HostQuery = {}, options?: CallOptions): List<Host> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: HostQuery = {}, options?: CallOptions): ApiPromise<Page<Host>> {
    return this.transport.json({ method: 'GET', path: '/v1/operator/hosts', query, options }, 'page');
  }

  /** All terminals of a host with their owners, the oldest first; their names are shown for your own only. */
  listTerminals(id: string, options?: CallOptions): List<HostTerminal> {
    return new List((page) => this.terminals(id, page, options));
  }

  /** One page of them. */
  terminals(id: string, query: PageQuery = {}, options?: CallOptions): ApiPromise<Page<HostTerminal>> {
    return this.transport.json(
      () => ({ method: 'GET', path: toPath`/v1/operator/hosts/${id}/terminals`, query, options }),
      'page',
    );
  }

  /**
   * Declares a host dead: its terminals are installed elsewhere. Do this only when it is known not to run any more, because
   * two terminals on one account trade twice. @returns its id
   */
  retire(id: string, options?: CallOptions): ApiPromise<string> {
    return this.transport.data(() => ({ method: 'DELETE', path: toPath`/v1/operator/hosts/${id}`, options }), 'text');
  }
}

/**
 * What enrols a host.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { join_token: token } = await berth.operator.joinTokens.create({ name: 'frankfurt-7', region: 3 });
 * console.log(`BERTH_JOIN_TOKEN=${token} script/agent`);
 */
export class JoinTokens extends Group {
  /** Creates a token with which an agent enrols its host once, within an hour. */
  create(body: NewJoinToken, options?: CallOptions): ApiPromise<JoinToken> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/join-tokens', body, options });
  }
}

/**
 * Accounts of users.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const made = await berth.operator.users.create({ name: 'Ada Lovelace', email: 'ada@example.com' });
 * console.log(made.password_link.url);
 */
export class Users extends Group {
  /** All users, newest first. */
  list(query: UserQuery = {}, options?: CallOptions): List<ManagedUser> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: UserQuery = {}, options?: CallOptions): ApiPromise<Page<ManagedUser>> {
    return this.transport.json({ method: 'GET', path: '/v1/operator/users', query, options }, 'page');
  }

  /** Creates a user, with a link to set the first password. */
  create(body: NewUser, options?: CallOptions): ApiPromise<CreatedUser> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/users', body, options });
  }

  /** A user, with limits and status. */
  get(id: string, options?: CallOptions): ApiPromise<ManagedUser> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/operator/users/${id}`, options }));
  }

  /** Changes a user, or suspends one: `{ status: 'suspended', suspension: { reason, terminals } }`. */
  update(id: string, body: UserChanges, options?: CallOptions): ApiPromise<ManagedUser> {
    return this.transport.data(() => ({ method: 'PATCH', path: toPath`/v1/operator/users/${id}`, body, options }));
  }

  /** A link with which the user sets a new password; earlier ones end. */
  createPasswordLink(id: string, options?: CallOptions): ApiPromise<PasswordLink> {
    return this.transport.data(() => ({
      method: 'POST',
      path: toPath`/v1/operator/users/${id}/password-link`,
      options,
    }));
  }

  /** Ends all sessions of the user, and revokes all tokens. */
  signOut(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'POST', path: toPath`/v1/operator/users/${id}/sign-out`, options }));
  }
}

/**
 * What is reserved for operators: everybody else gets a `PermissionError`.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { data: hosts } = await berth.operator.hosts.page({ include: 'details' });
 * console.log(hosts.length);
 */
export class Operator extends Group {
  /** Machines that run terminals. */
  readonly hosts = new Hosts(this.transport, this.changes);
  /** Tokens that enrol hosts. */
  readonly joinTokens = new JoinTokens(this.transport, this.changes);
  /** Accounts of users. */
  readonly users = new Users(this.transport, this.changes);

  /** How many places each region has, who holds them, and who waits for one. */
  overview(options?: CallOptions): ApiPromise<OperatorOverview> {
    return this.transport.data({ method: 'GET', path: '/v1/operator/overview', options });
  }
}
