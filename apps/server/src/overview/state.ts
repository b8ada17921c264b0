/** What the overview of operators says besides places: one small statement each. */
import { HostStatus, type BackupState, type LimitedUser, type OperatorOverview } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { toUsedBytes } from '../storage/budget.ts';

type HostAttention = OperatorOverview['hosts_in_trouble'][number];

const agentsStatement = sql(
  'list_agent_versions',
  `select coalesce(agent_version, '') as version, count(*) as hosts from hosts
   where status in (${HostStatus.ONLINE}, ${HostStatus.LOST}) group by 1 order by 2 desc, 1 limit 20`,
);

export const listAgentVersions = (db: Queryable): Promise<OperatorOverview['agents']> => db.query(agentsStatement);

/** Of the disk of a host: less than a twentieth, or than 2 GiB. */
const troubledStatement = sql(
  'list_hosts_in_trouble',
  `select h.id, h.name, h.last_seen_at as since, h.terminal_count as terminals, disk_available_mb,
     case when h.status = ${HostStatus.LOST} then 'offline' else 'disk_low' end as trouble
   from hosts h left join lateral (
     select (facts ->> 'disk_available_mb')::bigint as disk_available_mb, (facts ->> 'disk_total_mb')::bigint as total
     from host_facts where host_id = h.id
   ) f on true
   where h.status = ${HostStatus.LOST}
     or h.status = ${HostStatus.ONLINE} and disk_available_mb < greatest(2048, coalesce(total, 0) / 20)
   order by h.status desc, h.last_seen_at, h.id limit 20`,
);

export const listHostsInTrouble = (db: Queryable): Promise<HostAttention[]> => db.query(troubledStatement);

const backupStatement = sql(
  'find_backup_state',
  `select last_started_at, last_succeeded_at, size_bytes, error, due_at as next_at, lease_until > now() as is_running,
     coalesce(last_succeeded_at, planned_at) < now() - 2 * interval_seconds * interval '1 second' as is_late
   from scheduled_backup`,
);

/** @returns undefined when none are scheduled */
export const findBackupState = async (db: Queryable): Promise<BackupState | undefined> =>
  (await db.query<BackupState>(backupStatement))[0];

const usesStatement = sql(
  'list_uses_of_users',
  `select u.id, u.plan, u.terminal_limit, u.storage_mib,
     (select count(*) from terminals t where t.user_id = u.id and t.deleted_at is null) as terminals,
     ${toUsedBytes('u.id')} as bytes
   from users u where u.id = any($1::uuid[])`,
);

export interface Uses {
  id: string;
  plan: number;
  terminal_limit: number | null;
  storage_mib: number | null;
  terminals: number;
  bytes: number;
}

export interface Limits {
  toTerminals: (uses: Uses) => number | undefined;
  toBytes: (uses: Uses) => number;
}

/** Near enough to be refused soon. */
const STORAGE_PART = 0.95;

/** Those of the users who are at a limit. @param limits what each may have */
export const listLimitedUsers = async (
  db: Queryable,
  users: readonly { id: string; name: string; email: string }[],
  { toTerminals, toBytes }: Limits,
): Promise<LimitedUser[]> => {
  const uses = await db.query<Uses>(usesStatement, [users.map(({ id }) => id)]);
  const byId = new Map(uses.map((each) => [each.id, each]));
  return users.flatMap(({ id, name, email }): LimitedUser[] => {
    const found = byId.get(id);
    if (!found) return [];
    const [terminals, bytes] = [toTerminals(found), toBytes(found)];
    return [
      ...(terminals !== undefined && found.terminals >= terminals
        ? [{ id, name, email, limit: 'terminals' as const, used: found.terminals, most: terminals }]
        : []),
      ...(found.bytes >= bytes * STORAGE_PART
        ? [{ id, name, email, limit: 'storage' as const, used: found.bytes, most: bytes }]
        : []),
    ];
  });
};
