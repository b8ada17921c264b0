import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  DrainEnd,
  Host,
  HostChanges,
  HostQuery,
  HostSampleQuery,
  HostSamples,
  HostTerminal,
  JoinToken,
  JoinTokenRecord,
  NewDrain,
  NewJoinToken,
  PageQuery,
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

  /** What a host had in use, by the minute or by the quarter of an hour. */
  samples(id: string, query: HostSampleQuery = {}, options?: CallOptions): ApiPromise<HostSamples> {
    return this.transport.data(() => ({
      method: 'GET',
      path: toPath`/v1/operator/hosts/${id}/samples`,
      query,
      options,
    }));
  }

  /** Renames a host, limits its slots, or cordons it: no new terminals are placed there. */
  update(id: string, body: HostChanges, options?: CallOptions): ApiPromise<Host> {
    return this.transport.data(() => ({ method: 'PATCH', path: toPath`/v1/operator/hosts/${id}`, body, options }));
  }

  /** Cordons a host and stops its terminals, or lets them stay. `drain.left` of the host says what still runs, and why. */
  drain(id: string, body: NewDrain, options?: CallOptions): ApiPromise<Host> {
    return this.transport.data(() => ({ method: 'POST', path: toPath`/v1/operator/hosts/${id}/drain`, body, options }));
  }

  /** Ends a drain; what was stopped stays so. `uncordon: true`: the host takes new terminals again. */
  endDrain(id: string, query: DrainEnd = {}, options?: CallOptions): ApiPromise<Host> {
    return this.transport.data(() => ({
      method: 'DELETE',
      path: toPath`/v1/operator/hosts/${id}/drain`,
      query,
      options,
    }));
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
  /** Tokens of the last 30 days, newest first, without their secrets. */
  list(options?: CallOptions): List<JoinTokenRecord> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: PageQuery = {}, options?: CallOptions): ApiPromise<Page<JoinTokenRecord>> {
    return this.transport.json({ method: 'GET', path: '/v1/operator/join-tokens', query, options }, 'page');
  }

  /** Revokes a token that no host has used. */
  revoke(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/operator/join-tokens/${id}`, options }));
  }

  /** Creates a token with which an agent enrols its host once, within an hour. */
  create(body: NewJoinToken, options?: CallOptions): ApiPromise<JoinToken> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/join-tokens', body, options });
  }
}
