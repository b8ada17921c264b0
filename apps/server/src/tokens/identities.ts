/**
 * Finds who calls. Every authenticated request asks this first, so requests that arrive together share a statement: one
 * round trip and one result for all of them. Nothing is kept: what was revoked is gone with the next question.
 */
import { Batcher } from '@berth/kit';
import { findCallers, type CallerRow } from '../accounts/users.ts';
import { isRefused, type Database } from '../db/database.ts';
import { findHosts, type HostCredentialRow } from '../hosts/queries.ts';

const MAX_BATCH = 256;

export class Identities {
  readonly #users: Batcher<number, CallerRow | undefined>;
  readonly #hosts: Batcher<string, HostCredentialRow | undefined>;

  constructor(db: Database) {
    const options = { maxItems: MAX_BATCH, isSplit: isRefused };
    this.#users = new Batcher((ids) => findCallers(db, ids), options);
    this.#hosts = new Batcher((ids) => findHosts(db, ids), options);
  }

  /** The token and its user; undefined when the token is unknown, revoked or expired. */
  findUser(tokenId: number): Promise<CallerRow | undefined> {
    return this.#users.add(tokenId);
  }

  /** undefined when the host is unknown or retired. */
  findHost(hostId: string): Promise<HostCredentialRow | undefined> {
    return this.#hosts.add(hostId);
  }
}
