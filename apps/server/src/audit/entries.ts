/** The audit log as operators and users read it. */
import type { AuditEntry } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { Fields } from './differences.ts';

/** Which rows, newest first. Bounds of ids stand for times, because ids are ordered by them. */
export interface AuditFilter {
  actor?: string | undefined;
  /** Where it ends with a dot: all that begin so. */
  action: string | undefined;
  actorKind: AuditEntry['actor']['kind'] | undefined;
  target: string | undefined;
  /** Of the first row that counts. */
  lowest: string;
  /** Behind the last one that counts, or that was seen. */
  below: string;
  limit: number;
}

const columns = `a.id, a.at, a.user_id, a.actor_kind, a.actor_user_id, a.actor_token_id, a.actor_session_id, a.address, a.action,
  a.target_type, a.target_id, a.before, a.after, a.result, (select u.name from users u where u.id = a.actor_user_id) as actor_name`;

const isChosen = `a.id >= $1::uuid and a.id < $2::uuid and ($3::text is null or a.action = $3 or right($3, 1) = '.' and starts_with(a.action, $3))
  and ($4::text is null or a.target_id = $4) and ($7::text is null or a.actor_kind = $7)`;

const listStatement = sql(
  'list_audit_log',
  `select ${columns} from audit_log a where ${isChosen} and ($6::uuid is null or a.actor_user_id = $6)
   order by a.id desc limit $5`,
);
const listOwnStatement = sql(
  'list_own_audit_log',
  `select ${columns} from audit_log a where ${isChosen} and a.user_id = $6 order by a.id desc limit $5`,
);

interface Row extends Pick<AuditEntry, 'id' | 'at' | 'user_id' | 'address' | 'action' | 'before' | 'after' | 'result'> {
  actor_kind: AuditEntry['actor']['kind'];
  actor_user_id: string | null;
  actor_name: string | null;
  actor_token_id: number | null;
  actor_session_id: number | null;
  target_type: string;
  target_id: string | null;
}

const toEntry = (row: Row): AuditEntry => ({
  id: row.id,
  at: row.at,
  user_id: row.user_id,
  actor: {
    kind: row.actor_kind,
    user_id: row.actor_user_id,
    name: row.actor_name,
    token_id: row.actor_token_id,
    session_id: row.actor_session_id,
  },
  address: row.address,
  action: row.action,
  target: { type: row.target_type, id: row.target_id },
  before: row.before,
  after: row.after,
  result: row.result,
});

/** What operators keep to themselves of a user. */
const ofOperators: ReadonlySet<string> = new Set(['suspension', 'external_id']);

const withoutNotes = (fields: Fields | null): Fields | null =>
  fields && Object.fromEntries(Object.entries(fields).filter(([name]) => !ofOperators.has(name)));

/** As its owner sees a row: of operators, only that it was one. */
const toOwnEntry = (userId: string, entry: AuditEntry): AuditEntry => {
  if (entry.actor.kind !== 'operator' || entry.actor.user_id === userId) return entry;
  const actor = { kind: entry.actor.kind, user_id: null, name: null, token_id: null, session_id: null };
  return { ...entry, actor, address: null, before: withoutNotes(entry.before), after: withoutNotes(entry.after) };
};

const toValues = (filter: AuditFilter, userId: string | undefined): unknown[] => {
  const { lowest, below, action, target, limit, actorKind } = filter;
  return [lowest, below, action ?? null, target?.toLowerCase() ?? null, limit, userId ?? null, actorKind ?? null];
};

/** Of all. Pass it slow connections: a filter may match few rows of many. */
export const listAuditLog = async (db: Queryable, filter: AuditFilter): Promise<AuditEntry[]> =>
  (await db.query<Row>(listStatement, toValues(filter, filter.actor))).map(toEntry);

/** Of the user's own log. The same holds. */
export const listOwnAuditLog = async (db: Queryable, userId: string, filter: AuditFilter): Promise<AuditEntry[]> =>
  (await db.query<Row>(listOwnStatement, toValues(filter, userId))).map((row) => toOwnEntry(userId, toEntry(row)));
