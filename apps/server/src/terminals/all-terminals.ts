/** The terminals of all users, as operators see them: what is secret, and what owners wrote on them, is not read. */
import { TerminalStatus, toTerminalStatusName, type OperatorTerminal } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { COUNTED_ROWS, toKey, toOffset, type PageInput } from '../db/page.ts';
import { listQueuePlaces } from './why/queue-places.ts';

const MAX_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`;

/** Of `$1` the pattern of a search, of `$2` a user, `$3` a host, `$4` statuses; each null: all. */
const isChosen = `t.deleted_at is null and ($2::uuid is null or t.user_id = $2) and ($3::uuid is null or t.host_id = $3)
  and ($4::smallint[] is null or t.status = any($4))
  and ($1::text is null or t.search_text like $1
    or t.user_id in (select id from users where lower(name || chr(10) || email) like $1))`;

/** Ids grow with time: by them the newest come first, and a page needs no index of its own. */
const listStatement = sql(
  'list_all_terminals',
  `select t.id, t.name, jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) as user, t.region_id as region,
     t.platform, t.status, t.status_reason, t.status_changed_at as since,
     case when h.id is not null then jsonb_build_object('id', h.id, 'name', h.name) end as host, t.created_at
   from (
     select * from terminals t where ${isChosen} and t.id < coalesce($5::uuid, ${MAX_ID})
     order by t.id desc limit $6 offset $7
   ) t
   join users u on u.id = t.user_id left join hosts h on h.id = t.host_id
   order by t.id desc`,
);
const countStatement = sql(
  'count_all_terminals',
  `select count(*) as total from (select from terminals t where ${isChosen} limit $5) counted`,
);

export interface AllTerminalsFilter {
  search: string | undefined;
  userId: string | undefined;
  hostId: string | undefined;
  statuses: number[] | undefined;
}

const toValues = ({ search, userId, hostId, statuses }: AllTerminalsFilter): unknown[] => [
  search === undefined ? null : `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`,
  userId ?? null,
  hostId ?? null,
  statuses ?? null,
];

/** Newest first. Pass it slow connections: a search reads all terminals. */
export const listAllTerminals = async (
  db: Queryable,
  filter: AllTerminalsFilter,
  page: PageInput,
): Promise<OperatorTerminal[]> => {
  const values = [...toValues(filter), ...toKey(page, 1), page.per_page, toOffset(page)];
  const rows = await db.query<Omit<OperatorTerminal, 'status_name' | 'queue_place'>>(listStatement, values);
  const waiting = rows.filter(({ status, host }) => status === TerminalStatus.PENDING && host === null);
  const places = await listQueuePlaces(
    db,
    waiting.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    status_name: toTerminalStatusName(row.status),
    queue_place: places.get(row.id) ?? null,
  }));
};

export const countAllTerminals = async (db: Queryable, filter: AllTerminalsFilter): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [...toValues(filter), COUNTED_ROWS]))[0]?.total ?? 0;
