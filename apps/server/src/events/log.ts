/** The log of events: what happened to what a user has, for 30 days. Only `record.ts` writes it. */
import { listEventTypes, type EventData, type EventType, type UserEvent } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** In their order, with the project that each terminal is in at this moment. */
const insertStatement = sql(
  'insert_events',
  `insert into events (user_id, type, terminal_id, project_id, data)
   select o.user_id, o.type, o.terminal_id, (select project_id from terminals t where t.id = o.terminal_id), o.data
   from unnest($1::uuid[], $2::text[], $3::uuid[], $4::jsonb[]) with ordinality as o (user_id, type, terminal_id, data, place)
   order by o.place`,
);

/** An event that was not written yet. */
export type Occurrence = {
  [Kind in EventType]: {
    type: Kind;
    userId: string;
    /** The terminal that it is about; null: none. */
    terminalId: string | null;
    data: EventData<Kind>;
    /** Nothing is notified: the owner was told before, learns it by another event, or did it. */
    isQuiet?: boolean;
  };
}[EventType];

export const insertEvents = async (db: Queryable, occurrences: readonly Occurrence[]): Promise<void> => {
  await db.query(insertStatement, [
    occurrences.map(({ userId }) => userId),
    occurrences.map(({ type }) => type),
    occurrences.map(({ terminalId }) => terminalId),
    occurrences.map(({ data }) => JSON.stringify(data)),
  ]);
};

/** Rows that a page with a filter looks at: a type that is rare in a million events costs no more than that. */
const MAX_LOOKED_AT = 10_000;

/** SQL: of the rows that a page looks at, those that it shows. */
const isChosen = `($5::text[] is null or type = any($5)) and ($6::uuid is null or terminal_id = $6)
       and ($7::uuid is null or project_id = $7) and ($8::timestamptz is null or occurred_at >= $8)
       and ($9::timestamptz is null or occurred_at < $9)`;

const listStatement = sql(
  'list_events',
  `with seen as materialized (
     select id, type, occurred_at, terminal_id, project_id, data from events
     where user_id = $1 and id > $2 and id <= $3 order by id limit $4
   ), chosen as (
     select * from seen where ${isChosen} order by id limit $10
   )
   select c.*, s.seen, s.last_seen, l.forgotten_to > $2 as is_forgotten
   from event_log l
   cross join (select count(*) as seen, max(id) as last_seen from seen) s
   left join chosen c on true
   order by c.id`,
);

/** The past ends somewhere: nothing that is missing there was promised. */
const listNewestStatement = sql(
  'list_newest_events',
  `with seen as materialized (
     select id, type, occurred_at, terminal_id, project_id, data from events
     where user_id = $1 and id > $2 and id <= $3 order by id desc limit $4
   ), chosen as (
     select * from seen where ${isChosen} order by id desc limit $10
   )
   select c.*, s.seen, s.last_seen, false as is_forgotten
   from (select count(*) as seen, min(id) as last_seen from seen) s
   left join chosen c on true
   order by c.id desc`,
);

/** Halves the ids between two until one is left: those up to it happened before the time, those above it later. */
const findIdStatement = sql(
  'find_event_id_by_time',
  `with recursive halves (low, high) as (
     select $2::bigint, greatest($2, $3)::bigint
     union all
     select case when e.id is null or e.occurred_at < $4 then h.middle else h.low end,
       case when e.id is null or e.occurred_at < $4 then h.high else e.id - 1 end
     from (select low, high, low + (high - low + 1) / 2 as middle from halves where low < high) h
     left join lateral (
       select id, occurred_at from events where user_id = $1 and id > h.low and id <= h.middle order by id desc limit 1
     ) e on true
   )
   select low as id from halves where low = high`,
);

export interface EventFilter {
  types?: readonly string[] | undefined;
  terminalId?: string | undefined;
  projectId?: string | undefined;
  /** Then or later. */
  from?: Date | undefined;
  /** Before. */
  to?: Date | undefined;
}

export interface EventPlace {
  /** Only events with an id above this one; 0: all. */
  after: number;
  /** No further than this (`EventHorizon`, or the id before the one that came last). */
  horizon: number;
  limit: number;
  /** From the newest to the oldest. */
  isNewestFirst?: boolean;
}

interface EventsPage {
  events: UserEvent[];
  /** The id where the next page goes on; null: there is no more at this moment. */
  next: number | null;
  /** Events that followed `after` are gone. */
  isForgotten: boolean;
}

/** Longer than any transaction: an event is written that much later than it happened at most, and its id with it. */
const SLACK_MS = 3_600_000;

/**
 * An id that separates what happened long before a time from what followed. Ids rise with the times of the events,
 * but for those whose transactions overlapped.
 */
const findIdByTime = async (
  db: Queryable,
  userId: string,
  { after, horizon }: EventPlace,
  atMs: number,
): Promise<number> => {
  const at = new Date(atMs).toISOString();
  const [found] = await db.query<{ id: number }>(findIdStatement, [userId, after, horizon, at]);
  return found?.id ?? after;
};

/** A user's events in the order of their ids. */
export const listEvents = async (
  db: Queryable,
  userId: string,
  { types, terminalId, projectId, from, to, ...place }: EventFilter & EventPlace,
): Promise<EventsPage> => {
  type Found = UserEvent & { seen: number; last_seen: number | null; is_forgotten: boolean };
  type Row = Found | (Omit<Found, keyof UserEvent> & { id: null });
  const filter = [types, terminalId, projectId, from?.toISOString(), to?.toISOString()].map((value) => value ?? null);
  const { limit, isNewestFirst = false } = place;
  const lookedAt = filter.some((value) => value !== null) ? MAX_LOOKED_AT : limit;
  const after = from ? await findIdByTime(db, userId, place, from.getTime() - SLACK_MS) : place.after;
  const horizon = to ? await findIdByTime(db, userId, place, to.getTime() + SLACK_MS) : place.horizon;
  const statement = isNewestFirst ? listNewestStatement : listStatement;
  const rows = await db.query<Row>(statement, [userId, after, horizon, lookedAt, ...filter, limit]);
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
