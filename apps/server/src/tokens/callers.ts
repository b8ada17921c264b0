/** Who calls: the users of tokens, and hosts. */
import type { AccountStatus, OperatorRole } from '@berth/contract';
import { Batcher } from '@berth/kit';
import { isRefused, sql, type Database, type Queryable } from '../db/database.ts';
import { findHosts, type HostCredentialRow } from '../hosts/queries.ts';

export interface User {
  id: string;
  name: string;
  email: string;
  email_verified_at: string | null;
  plan: number;
  /** In place of what the plan allows; null: that. */
  terminal_limit: number | null;
  storage_mib: number | null;
  /** For new terminals; null: all. */
  region_ids: number[] | null;
  status: AccountStatus;
  is_operator: boolean;
  /** null: no operator. */
  role: OperatorRole | null;
  balance: number;
  default_project_id: string;
  plan_expires_at: string | null;
  referrer_id: string | null;
  welcome_claimed_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** How long a session is confirmed after the password was given. */
export const CONFIRMED_MINUTES = 10;

/** The role of a user `u`. */
export const toRole = `case when u.is_operator then coalesce(u.operator_role, 'owner') end`;

const callersStatement = sql(
  'find_callers',
  `select t.id as token_id, t.secret_hash, t.abilities, t.expires_at, t.last_used_at, t.is_session,
     coalesce(t.confirmed_at > now() - interval '${CONFIRMED_MINUTES} minutes', false) as is_confirmed,
     u.id, u.name, u.email, u.email_verified_at, u.plan, u.terminal_limit, u.storage_mib, u.region_ids,
     u.status, u.is_operator, ${toRole} as role, u.balance, u.default_project_id,
     u.plan_expires_at, u.referrer_id, u.welcome_claimed_at, u.created_at, u.updated_at, u.deleted_at
   from tokens t join users u on u.id = t.user_id
   where t.id = any($1::bigint[]) and (t.expires_at is null or t.expires_at > now()) and u.deleted_at is null`,
);

export interface CallerRow extends User {
  token_id: number;
  secret_hash: Buffer;
  is_session: boolean;
  /** Its user has given the password within the last minutes. */
  is_confirmed: boolean;
  abilities: string[];
  expires_at: string | null;
  last_used_at: string | null;
}

/** The tokens with their users, in the order of the ids; undefined where the token is unknown, revoked or expired. */
export const findCallers = async (db: Queryable, tokenIds: number[]): Promise<(CallerRow | undefined)[]> => {
  const rows = await db.query<CallerRow>(callersStatement, [tokenIds]);
  const byToken = new Map(rows.map((row) => [row.token_id, row]));
  return tokenIds.map((id) => byToken.get(id));
};

const MAX_IDS_PER_BATCH = 256;
/**
 * How long a heartbeat waits for others. Ten thousand hosts send two thousand per second, so a hundred of them share
 * one lookup here, and then one write. It is nothing compared with the 20 s that a host may be silent.
 */
const HEARTBEATS_GATHER_MS = 50;

/**
 * Identifies callers. Every authenticated request does this first, so requests that arrive together share a statement:
 * one round trip and one result for all of them. Nothing is cached: a revocation takes effect with the next lookup.
 */
export class Identities {
  readonly #users: Batcher<number, CallerRow | undefined>;
  readonly #hosts: Batcher<string, HostCredentialRow | undefined>;
  readonly #beatingHosts: Batcher<string, HostCredentialRow | undefined>;

  constructor(db: Database) {
    const options = { maxItems: MAX_IDS_PER_BATCH, isSplit: isRefused };
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
