import { MAX_TAGS, toTerminalStatusName, type TerminalDetails } from '@berth/contract';
import { isTaken, sql, type Queryable, type Transaction } from '../db/database.ts';
import { EXTERNAL_ID, takenExternalId, toTags, type TerminalLabels } from './insert.ts';
import { terminalColumns } from './queries.ts';

/** Locked in the order of their ids, so that two of these wait for each other instead of deadlocking. */
const tagStatement = sql(
  'tag_terminals',
  `with chosen as materialized (
     select id, tags from terminals where user_id = $1 and deleted_at is null and id = any($2::uuid[])
     order by id for no key update
   ), next as (
     select id, tags as old,
       array(
         select distinct tag from unnest(tags || $3::text[]) as tag where tag <> all($4::text[]) order by tag
       ) as tags
     from chosen
   ), changed as (
     update terminals t set tags = n.tags, updated_at = now() from next n
     where t.id = n.id and cardinality(n.tags) <= $5 and n.tags <> n.old
   )
   select id, cardinality(tags) > $5 as is_full from next`,
);

export interface TagRequest {
  /** UUIDs, each once. */
  ids: readonly string[];
  add: readonly string[];
  remove: readonly string[];
}

/** Adds tags to terminals of the user, and removes others; one that is in both lists is removed. */
export const tagTerminals = async (
  tx: Transaction,
  userId: string,
  { ids, add, remove }: TagRequest,
): Promise<{ terminals: number; full: string[] }> => {
  const rows = await tx.query<{ id: string; is_full: boolean }>(tagStatement, [userId, ids, add, remove, MAX_TAGS]);
  const full = rows.flatMap(({ id, is_full: isFull }) => (isFull ? [id] : []));
  return { terminals: rows.length - full.length, full };
};

/** The project is locked, so that nobody deletes it before the terminal is in it. */
const updateStatement = sql(
  'update_terminal',
  `with project as (
     select id from projects where id = $4::uuid and user_id = $2 for key share
   ), changed as (
     update terminals set name = coalesce($3, name), project_id = coalesce($4::uuid, project_id), updated_at = now(),
       screenshot_every_minutes = case when $5::smallint is null then screenshot_every_minutes else nullif($5::smallint, 0) end,
       tags = coalesce($6::text[], tags),
       notes = case when $7 then $8 else notes end,
       external_id = case when $9 then $10 else external_id end
     where id = $1 and user_id = $2 and deleted_at is null and ($4::uuid is null or exists (select from project))
     returning ${terminalColumns}, screenshot_every_minutes, tags, notes, external_id
   ), turned as (
     insert into screenshot_turns as s (terminal_id) select id from changed where $5::smallint > 0
     on conflict (terminal_id) do update set next_at = least(s.next_at, now() + make_interval(mins => $5::smallint))
   )
   select * from changed`,
);

export interface TerminalUpdate {
  name: string | undefined;
  /** A UUID. */
  projectId: string | undefined;
  /** 0: never. The first one is taken at once. */
  screenshotEveryMinutes: number | undefined;
  /** A null removes what is there; what is undefined stays. */
  labels: TerminalLabels;
}

/**
 * Undefined, with nothing changed, when the user has no such terminal, or no such project.
 * @throws ValidationError when another terminal has the external id
 */
export const updateTerminal = async (
  db: Queryable,
  userId: string,
  id: string,
  { name, projectId, screenshotEveryMinutes, labels }: TerminalUpdate,
): Promise<TerminalDetails | undefined> => {
  const { tags, notes, external_id: externalId } = labels;
  const written = [tags ? toTags(tags) : null, notes !== undefined, notes, externalId !== undefined, externalId];
  const values = [id, userId, name ?? null, projectId ?? null, screenshotEveryMinutes ?? null, ...written];
  const rows = await db.query<Omit<TerminalDetails, 'status_name'>>(updateStatement, values).catch((error: unknown) => {
    throw isTaken(error, EXTERNAL_ID) ? takenExternalId() : error;
  });
  const [row] = rows;
  return row && { ...row, status_name: toTerminalStatusName(row.status) };
};
