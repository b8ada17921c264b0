/** The audit log as operators and users read it. */
import { auditActorKinds, type AuditEntry } from '@berth/contract';
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

// From one action to the next in the index, of which there are few.
const actionsStatement = sql(
  'list_audit_actions',
  `with recursive actions as (
     select '' as action
     union all
     select n.action from actions p cross join lateral (
       select action from audit_log where action > p.action order by action limit 1
     ) n
   )
   select action from actions
   where action <> '' and ($1::text is null or action = $1 or right($1, 1) = '.' and starts_with(action, $1))`,
);
// The newest of each action and kind, however many others there are, and however much older they are. The order is one
// that no other index has.
const listByActionStatement = sql(
  'list_audit_log_by_action',
  `with newest as materialized (
     select n.id from unnest($3::text[]) as x (action) cross join unnest($4::text[]) as k (kind)
     cross join lateral (
       select a.id from audit_log a
       where a.action = x.action and a.actor_kind = k.kind and a.id >= $1::uuid and a.id < $2::uuid
       order by a.action desc, a.actor_kind desc, a.id desc limit $5
     ) n
     order by n.id desc limit $5
   )
   select ${columns} from newest n join audit_log a on a.id = n.id order by a.id desc`,
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

const listByAction = async (db: Queryable, filter: AuditFilter): Promise<Row[]> => {
  const { lowest, below, action, actorKind, limit } = filter;
  const actions = await db.query<{ action: string }>(actionsStatement, [action ?? null]);
  const kinds = actorKind === undefined ? auditActorKinds : [actorKind];
  return db.query<Row>(listByActionStatement, [lowest, below, actions.map((row) => row.action), kinds, limit]);
};

/** Of all. Pass it slow connections: a filter may match few rows of many. */
export const listAuditLog = async (db: Queryable, filter: AuditFilter): Promise<AuditEntry[]> => {
  const { actor, action, actorKind, target } = filter;
  const isOfFew = actor !== undefined || target !== undefined;
  const isByAction = !isOfFew && (action !== undefined || actorKind !== undefined);
  const rows = isByAction ? listByAction(db, filter) : db.query<Row>(listStatement, toValues(filter, actor));
  return (await rows).map(toEntry);
};

/** Of the user's own log. The same holds. */
export const listOwnAuditLog = async (db: Queryable, userId: string, filter: AuditFilter): Promise<AuditEntry[]> =>
  (await db.query<Row>(listOwnStatement, toValues(filter, userId))).map((row) => toOwnEntry(userId, toEntry(row)));
