import { HostStatus, toTerminalStatusName, type HostTerminal, type WantedTerminal } from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import { COUNTED_ROWS, toKey, toOffset, type PageInput } from '../db/page.ts';
import type { ReportedFacts } from './facts.ts';
import { toLeftReason } from './left.ts';

/** The host whose agent makes a request. */
export interface CallingHost {
  id: string;
  name: string;
  regionId: number;
  sessionId: string | null;
}

export interface HostCredentialRow {
  id: string;
  name: string;
  region_id: number;
  session_id: string | null;
  credential_hash: Buffer | null;
}

const findHostsStatement = sql(
  'find_hosts_for_credentials',
  `select id, name, region_id, session_id, credential_hash from hosts
   where id = any($1::uuid[]) and status <> ${HostStatus.RETIRED}`,
);

/** In the order of the ids; undefined where the host is unknown or retired. */
export const findHosts = async (db: Queryable, ids: string[]): Promise<(HostCredentialRow | undefined)[]> => {
  const rows = await db.query<HostCredentialRow>(findHostsStatement, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
};

export interface JoinTokenInput {
  id: string;
  secretHash: Buffer;
  region: number;
  name: string;
  capacity: number;
  /** How long the token can be used. */
  validMs: number;
}

const createJoinTokenStatement = sql(
  'create_join_token',
  `insert into join_tokens (id, secret_hash, region_id, name, capacity, expires_at)
   values ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond') returning expires_at`,
);

export const createJoinToken = async (db: Queryable, input: JoinTokenInput): Promise<string> => {
  const { id, secretHash, region, name, capacity, validMs } = input;
  const rows = await db.query<{ expires_at: string }>(createJoinTokenStatement, [
    id,
    secretHash,
    region,
    name,
    capacity,
    validMs,
  ]);
  return rows[0]?.expires_at ?? '';
};

export interface EnrolledHost {
  id: string;
  region_id: number;
  name: string;
}

const enrolStatement = sql(
  'enrol_host',
  `with used as (
     update join_tokens set used_at = now(), host_id = $3
     where id = $1 and secret_hash = $2 and expires_at > now() and used_at is null returning region_id, name, capacity
   ), enrolled as (
     insert into hosts (id, region_id, name, platforms, capacity, credential_hash, memory_capacity)
     select $3, region_id, name, $4, capacity, $5, ($6::jsonb ->> 'memory_capacity')::integer from used
     returning id, region_id, name
   ), told as (
     insert into host_facts (host_id, facts) select id, $6 from enrolled
   )
   select id, region_id, name from enrolled`,
);

/** Uses up the join token and creates the host; undefined when the token is unknown, used or expired. */
export const enrolHost = async (
  tx: Transaction,
  joinToken: { id: string; secretHash: Buffer },
  host: { id: string; platforms: string[]; credentialHash: Buffer; facts: ReportedFacts },
): Promise<EnrolledHost | undefined> => {
  const values = [joinToken.id, joinToken.secretHash, host.id, host.platforms, host.credentialHash, host.facts];
  return (await tx.query<EnrolledHost>(enrolStatement, values))[0];
};

const startSessionStatement = sql(
  'start_session',
  `with started as (
     update hosts set session_id = $2, agent_version = $3, platforms = $4, status = ${HostStatus.ONLINE}, last_seen_at = now(), updated_at = now(),
       memory_capacity = ($5::jsonb ->> 'memory_capacity')::integer
     where id = $1 and status <> ${HostStatus.RETIRED}
     returning id
   ), told as (
     insert into host_facts (host_id, facts) select id, $5::jsonb from started
     on conflict (host_id) do update set facts = excluded.facts, reported_at = now()
   )
   select id from started`,
);

export interface NewSession {
  id: string;
  agentVersion: string;
  platforms: string[];
  facts: ReportedFacts;
}

/** @returns false when the host was retired in the meantime: it has no session, and gets none */
export const startSession = async (db: Queryable, hostId: string, session: NewSession): Promise<boolean> => {
  const values = [hostId, session.id, session.agentVersion, session.platforms, session.facts];
  return (await db.query(startSessionStatement, values)).length > 0;
};

/** With `offset 0`: otherwise the order would tempt the planner to scan all terminals of the instance by id. */
const wantedStatement = sql(
  'list_wanted_terminals',
  `select * from (
     select id, platform, status, server_name, login from terminals where host_id = $1 and deleted_at is null offset 0
   ) wanted
   order by id`,
);

/** What the host must keep. */
export const listWantedTerminals = (db: Queryable, hostId: string): Promise<WantedTerminal[]> =>
  db.query<WantedTerminal>(wantedStatement, [hostId]);

const touchStatement = sql(
  'touch_hosts',
  `update hosts h set last_seen_at = now(), status = ${HostStatus.ONLINE}
   from (select id, status from hosts where id = any($1::uuid[]) and status <> ${HostStatus.RETIRED}) before
   where h.id = before.id and h.status <> ${HostStatus.RETIRED}
   returning h.id, before.status = ${HostStatus.LOST} as was_lost`,
);

/**
 * Records that the hosts are alive; a lost one is online again. The update checks the status again: the host may have
 * been retired in between.
 * @returns those that had counted as lost
 */
export const touchHosts = async (db: Queryable, hostIds: string[]): Promise<Set<string>> => {
  const rows = await db.query<{ id: string; was_lost: boolean }>(touchStatement, [hostIds]);
  return new Set(rows.filter((row) => row.was_lost).map((row) => row.id));
};

export interface HeldAttempt {
  hostId: string;
  taskId: string;
  fence: number;
}

const renewStatement = sql(
  'renew_leases',
  `update task_leases l set expires_at = now() + $4 * interval '1 millisecond'
   from unnest($1::uuid[], $2::uuid[], $3::int[]) as held (host_id, task_id, fence)
   where l.task_id = held.task_id and l.fence = held.fence and l.host_id = held.host_id
   returning l.task_id`,
);

/** Renews the leases of running attempts. @returns the tasks whose lease is still valid */
export const renewLeases = async (
  db: Queryable,
  held: readonly HeldAttempt[],
  leaseMs: number,
): Promise<Set<string>> => {
  const values = [held.map((one) => one.hostId), held.map((one) => one.taskId), held.map((one) => one.fence), leaseMs];
  const rows = await db.query<{ task_id: string }>(renewStatement, values);
  return new Set(rows.map((row) => row.task_id));
};

/** By `offset 0`, as above. */
const terminalsStatement = sql(
  'list_host_terminals',
  `select hosted.id, case when user_id = $2 then hosted.name end as name, platform, hosted.status, status_changed_at,
     ${toLeftReason('hosted', 'h')} as left_because,
     (select jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) from users u where u.id = user_id) as owner
   from (
     select * from terminals where host_id = $1 and deleted_at is null offset 0
   ) hosted cross join lateral (
     select status, drain_started_at, drain_terminals from hosts where id = $1
   ) h
   where hosted.id > coalesce($5::uuid, '${LOWEST_ID}') order by hosted.id limit $3 offset $4`,
);

/** The terminals on a host with their owners, oldest first. What other users call theirs is withheld. */
export const listHostTerminals = async (
  db: Queryable,
  { hostId, userId }: { hostId: string; userId: string },
  page: PageInput,
): Promise<HostTerminal[]> => {
  const values = [hostId, userId, page.per_page, toOffset(page), ...toKey(page, 1)];
  const rows = await db.query<Omit<HostTerminal, 'status_name'>>(terminalsStatement, values);
  return rows.map((row) => ({ ...row, status_name: toTerminalStatusName(row.status) }));
};

const countTerminalsStatement = sql(
  'count_host_terminals',
  `select (
     select count(*) from (select from terminals where host_id = $1 and deleted_at is null limit $2) counted
   ) as total from hosts where id = $1`,
);

/** How many terminals a host has, as far as lists are counted; undefined where there is no such host. */
export const findTerminalCount = async (db: Queryable, hostId: string): Promise<number | undefined> =>
  (await db.query<{ total: number }>(countTerminalsStatement, [hostId, COUNTED_ROWS]))[0]?.total;
