/** The log of events: what happened to what a user has, for 30 days. Only `happened.ts` writes it. */
import { listEventTypes, type EventType, type UserEvent } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** In their order, with the project that each terminal is in at this moment. */
const insertStatement = sql(
  'insert_events',
  `insert into events (user_id, type, terminal_id, project_id, data)
   select o.user_id, o.type, o.terminal_id, (select project_id from terminals t where t.id = o.terminal_id), o.data
   from unnest($1::uuid[], $2::text[], $3::uuid[], $4::jsonb[]) with ordinality as o (user_id, type, terminal_id, data, place)
   order by o.place`,
);

/** An event that has no id yet. */
export interface NewEvent {
  userId: string;
  type: EventType;
  /** The terminal that it is about; null: none. */
  terminalId: string | null;
  data: object;
}

export const insertEvents = async (db: Queryable, occurrences: readonly NewEvent[]): Promise<void> => {
  await db.query(insertStatement, [
    occurrences.map(({ userId }) => userId),
    occurrences.map(({ type }) => type),
    occurrences.map(({ terminalId }) => terminalId),
    occurrences.map(({ data }) => JSON.stringify(data)),
  ]);
};

/** Rows that a page with a filter looks at: a type that is rare in a million events costs no more than that. */
const MAX_LOOKED_AT = 10_000;

const listStatement = sql(
  'list_events',
  `with seen as materialized (
     select id, type, occurred_at, terminal_id, project_id, data from events
     where user_id = $1 and id > $2 and id <= $3 order by id limit $4
   ), chosen as (
     select * from seen
     where ($5::text[] is null or type = any($5)) and ($6::uuid is null or terminal_id = $6) and ($7::uuid is null or project_id = $7)
     order by id limit $8
   )
   select c.*, s.seen, s.last_seen, l.forgotten_to > $2 as is_forgotten
   from event_log l
   cross join (select count(*) as seen, max(id) as last_seen from seen) s
   left join chosen c on true
   order by c.id`,
);

export interface EventFilter {
  types?: readonly string[] | undefined;
  terminalId?: string | undefined;
  projectId?: string | undefined;
}

interface EventsPage {
  events: UserEvent[];
  /** Where the next page goes on; null: there is no more at this moment. */
  next: number | null;
  /** Events that followed `after` are gone. */
  isForgotten: boolean;
}

/**
 * A user's events, oldest first.
 * @param after the id of the event that came last; 0: none
 * @param horizon no further than this (`EventHorizon`)
 */
export const listEvents = async (
  db: Queryable,
  userId: string,
  { after, horizon, limit, ...filter }: EventFilter & { after: number; horizon: number; limit: number },
): Promise<EventsPage> => {
  type Found = UserEvent & { seen: number; last_seen: number | null; is_forgotten: boolean };
  type Row = Found | (Omit<Found, keyof UserEvent> & { id: null });
  const { types = null, terminalId = null, projectId = null } = filter;
  const isFiltered = types !== null || terminalId !== null || projectId !== null;
  const lookedAt = isFiltered ? MAX_LOOKED_AT : limit;
  const rows = await db.query<Row>(listStatement, [
    userId,
    after,
    horizon,
    lookedAt,
    types,
    terminalId,
    projectId,
    limit,
  ]);
  const found = rows.filter((row): row is Found => row.id !== null);
  const [{ seen = 0, last_seen: lastSeen = null, is_forgotten: isForgotten = false } = {}] = rows;
  const events = found.map(({ seen: _, last_seen: _last, is_forgotten: _gone, ...event }) => event);
  const isFull = events.length === limit;
  return { events, next: isFull ? events.at(-1)!.id : seen === lookedAt ? lastSeen : null, isForgotten };
};

/** The types that a list of names means, of which `terminal.*` is all that begin so. @returns undefined where one is unknown */
export const toEventTypes = (names: readonly string[]): string[] | undefined => {
  const found = names.map(listEventTypes);
  return found.some((types) => types.length === 0) ? undefined : [...new Set(found.flat())];
};
