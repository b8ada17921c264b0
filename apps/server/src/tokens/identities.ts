/**
 * Identifies callers. Every authenticated request does this first, so requests that arrive together share a statement:
 * one round trip and one result for all of them. Nothing is cached: a revocation takes effect with the next lookup.
 */
import { Batcher } from '@berth/kit';
import { isRefused, type Database } from '../db/database.ts';
import { findHosts, type HostCredentialRow } from '../hosts/queries.ts';
import { findCallers, type CallerRow } from './callers.ts';

const MAX_BATCH = 256;
/**
 * How long a heartbeat waits for others. Ten thousand hosts send two thousand per second, so a hundred of them share
 * one lookup here, and then one write. It is nothing compared with the 20 s that a host may be silent.
 */
const HEARTBEATS_GATHER_MS = 50;

export class Identities {
  readonly #users: Batcher<number, CallerRow | undefined>;
  readonly #hosts: Batcher<string, HostCredentialRow | undefined>;
  readonly #beatingHosts: Batcher<string, HostCredentialRow | undefined>;

  constructor(db: Database) {
    const options = { maxItems: MAX_BATCH, isSplit: isRefused };
    this.#users = new Batcher((ids) => findCallers(db, ids), options);
    const find = (ids: string[]) => findHosts(db, ids);
    this.#hosts = new Batcher(find, options);
    this.#beatingHosts = new Batcher(find, { ...options, gatherMs: HEARTBEATS_GATHER_MS });
  }

  /** The token and its user; undefined when the token is unknown, revoked or expired. */
  findUser(tokenId: number): Promise<CallerRow | undefined> {
    return this.#users.add(tokenId);
  }

  /** undefined when the host is unknown or retired. */
  findHost(hostId: string): Promise<HostCredentialRow | undefined> {
    return this.#hosts.add(hostId);
  }

  /** The same for its heartbeats: looked up a moment later, together with many others. */
  findBeatingHost(hostId: string): Promise<HostCredentialRow | undefined> {
    return this.#beatingHosts.add(hostId);
  }
}
