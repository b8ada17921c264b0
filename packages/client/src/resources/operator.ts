import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  AllTerminalsQuery,
  BackupState,
  CreatedInvitation,
  CreatedTask,
  CreatedUser,
  Invitation,
  ManagedUser,
  NewInvitation,
  NewRegion,
  NewUser,
  OperatorAuditQuery,
  OperatorOverview,
  OperatorTerminal,
  OperatorRegion,
  PasswordLink,
  TerminalWhy,
  RegionChanges,
  UserChanges,
  UserClosing,
  UserQuery,
} from '../types.ts';
import { AuditLog } from './audit-log.ts';
import { toAllTerminalsQuery } from './filters.ts';
import { Group } from './group.ts';
import { Hosts, JoinTokens } from './hosts.ts';

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

  /** Closes the account: refused and stopped at once, removed at `closes_at`. */
  close(id: string, body: UserClosing, options?: CallOptions): ApiPromise<ManagedUser> {
    return this.transport.data(() => ({ method: 'DELETE', path: toPath`/v1/operator/users/${id}`, body, options }));
  }

  /** Takes back the closing of an account: the user is suspended. */
  reopen(id: string, options?: CallOptions): ApiPromise<ManagedUser> {
    return this.transport.data(() => ({ method: 'POST', path: toPath`/v1/operator/users/${id}/reopen`, options }));
  }

  /** Ends all sessions of the user, and revokes all tokens. */
  signOut(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'POST', path: toPath`/v1/operator/users/${id}/sign-out`, options }));
  }
}

/**
 * Invitations of people who have no account yet.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { url } = await berth.operator.invitations.create({ email: 'ada@example.com' });
 * console.log(url);
 */
export class Invitations extends Group {
  /** Those that can still be accepted, newest first. */
  list(options?: CallOptions): List<Invitation> {
    return new List(() => this.transport.json({ method: 'GET', path: '/v1/operator/invitations', options }, 'list'));
  }

  /** Invites somebody. The link works once, and is shown only here. */
  create(body: NewInvitation = {}, options?: CallOptions): ApiPromise<CreatedInvitation> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/invitations', body, options });
  }

  /** Revokes an invitation. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/operator/invitations/${id}`, options }));
  }
}

/**
 * Regions and what operators set for them.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.operator.regions.create({ name: 'Tokyo', flag: 'jp' });
 * console.log(id);
 */
export class OperatorRegions extends Group {
  /** All regions with their settings. */
  list(options?: CallOptions): ApiPromise<OperatorRegion[]> {
    return this.transport.data({ method: 'GET', path: '/v1/operator/regions', options }, 'list');
  }

  /** Adds a region. */
  create(body: NewRegion, options?: CallOptions): ApiPromise<OperatorRegion> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/regions', body, options });
  }

  /** Renames a region, makes it the default, or closes it to new terminals. */
  update(id: number, body: RegionChanges, options?: CallOptions): ApiPromise<OperatorRegion> {
    return this.transport.data(() => ({
      method: 'PATCH',
      path: toPath`/v1/operator/regions/${id}`,
      body,
      options,
    }));
  }
}

/**
 * Terminals of all users.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { id } of berth.operator.terminals.list({ status: ['FAILED', 'LOGIN_FAILED'] })) {
 *   console.log((await berth.operator.terminals.why(id)).answer);
 * }
 */
export class OperatorTerminals extends Group {
  /** All that match, newest first. */
  list(query: AllTerminalsQuery = {}, options?: CallOptions): List<OperatorTerminal> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: AllTerminalsQuery = {}, options?: CallOptions): ApiPromise<Page<OperatorTerminal>> {
    return this.transport.json(
      () => ({ method: 'GET', path: '/v1/operator/terminals', query: toAllTerminalsQuery(query), options }),
      'page',
    );
  }

  /** Why one is not running, with what an operator can do. */
  why(id: string, options?: CallOptions): ApiPromise<TerminalWhy> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/operator/terminals/${id}/why`, options }));
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
  /** Who did what, of all users, operators and the server. */
  readonly auditLog: AuditLog<OperatorAuditQuery> = new AuditLog(
    this.transport,
    this.changes,
    '/v1/operator/audit-log',
  );
  /** Machines that run terminals. */
  readonly hosts = new Hosts(this.transport, this.changes);
  /** Tokens that enrol hosts. */
  readonly joinTokens = new JoinTokens(this.transport, this.changes);
  /** Accounts of users. */
  readonly users = new Users(this.transport, this.changes);
  /** Invitations of people who have no account yet. */
  readonly invitations = new Invitations(this.transport, this.changes);
  /** Where terminals run. */
  readonly regions = new OperatorRegions(this.transport, this.changes);

  /** Terminals of all users. */
  readonly terminals = new OperatorTerminals(this.transport, this.changes);

  /** How many places each region has, who holds them, and who waits for one. */
  overview(options?: CallOptions): ApiPromise<OperatorOverview> {
    return this.transport.data({ method: 'GET', path: '/v1/operator/overview', options });
  }

  /** Has a scheduled backup made now. The overview shows how it goes. */
  runBackup(options?: CallOptions): ApiPromise<BackupState> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/backups', options });
  }

  /** Cancels a task of any user that no host has yet. @throws RefusedError where a host has it, or it has ended */
  cancelTask(id: string, options?: CallOptions): ApiPromise<CreatedTask> {
    return this.transport.data(() => ({ method: 'POST', path: toPath`/v1/operator/tasks/${id}/cancel`, options }));
  }
}
