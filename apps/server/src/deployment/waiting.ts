/**
 * Terminals that wait for a host. They are assigned per region and platform, so that no terminal waits for capacity
 * elsewhere, and users take turns: one user's hundred do not hold up another's first. Within a user the oldest goes
 * first. `placement_turns` records whose turn it was, so that occasional free slots go round, too. However many wait, a
 * tick looks at a bounded number of users and of their terminals. Those of users whose terminals a suspension stopped
 * are passed over when it is their turn, and wait on.
 */
import { HostStatus, ResultStatus, TaskStatus, TerminalStatus, toServiceResult } from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { failInstallationsStatement } from '../tasks/transitions.ts';
import { giveUpInstallations } from '../tasks/uninstalled.ts';
import { TerminalChanges } from '../terminals/changes.ts';
import { reserveHost } from './placement.ts';

const isWaiting = 'waiting_since is not null and host_id is null and deleted_at is null';
const isHere = (place: string) => `region_id = ${place}.region_id and platform = ${place}.platform and ${isWaiting}`;

/**
 * SQL: `picked`, the terminals whose turn it is for the free places, at most $1. It skips from user to user in an index of
 * waiting terminals, from the one after the last turn, wrapping around at the end.
 * @param isAny whether a terminal waits for one of these places at all
 * @param waitsFor whether a terminal waits for a place
 * @param isOffered whether a host \`h\` may take any of them
 */
const toPicked = (isAny: string, waitsFor: (place: string) => string, isOffered = ''): string => `
   free as materialized (
     select h.region_id, p.platform, sum(h.places - h.terminal_count)::integer as places
     from hosts h cross join unnest(h.platforms) as p (platform)
     where h.status = ${HostStatus.ONLINE} and h.cordoned_at is null and h.terminal_count < h.places${isOffered}
       and (select true from terminals where ${isAny} limit 1)
     group by h.region_id, p.platform
   ), offers as (
     select f.*, coalesce(t.user_id, '${LOWEST_ID}') as last_user_id
     from free f left join placement_turns t on t.region_id = f.region_id and t.platform = f.platform
   ), users as (
     select o.region_id, o.platform, o.places, 1 as number, n.user_id
     from offers o cross join lateral (
       (select user_id from terminals where ${waitsFor('o')} and user_id > o.last_user_id order by user_id limit 1)
       union all
       (select user_id from terminals where ${waitsFor('o')} order by user_id limit 1)
       limit 1
     ) n
     union all
     select u.region_id, u.platform, u.places, u.number + 1, n.user_id
     from users u cross join lateral (
       select user_id from terminals where ${waitsFor('u')} and user_id > u.user_id order by user_id limit 1
     ) n
     where u.number < least(u.places, $1::integer)
   ), candidates as (
     select u.*, c.id, row_number() over (partition by u.region_id, u.platform, u.user_id order by c.waiting_since, c.id) as turn
     from users u cross join lateral (
       select id, waiting_since from terminals where ${waitsFor('u')} and user_id = u.user_id
       order by waiting_since, id limit least(u.places, $1::integer)
     ) c
   ), ranked as (
     select *, row_number() over (partition by region_id, platform order by turn, number) as place from candidates
   ), picked as (
     select * from ranked where place <= places order by turn, number, region_id, platform limit $1::integer
   )`;

/**
 * The rows picked are looked up by id alone (`limit` keeps the condition out): otherwise a plan could read everything
 * that waits for each.
 */
const waitingStatement = sql(
  'list_waiting_terminals',
  `with recursive ${toPicked(`${isWaiting} order by region_id, platform, user_id`, isHere)}
   select p.id, p.region_id as region, p.platform, p.user_id,
     exists (select from left_terminals l where l.terminal_id = p.id) as has_left
   from picked p cross join lateral (
     select * from terminals where id = p.id limit 1 for update skip locked
   ) t
   where t.waiting_since is not null and t.host_id is null and t.deleted_at is null and t.status = ${TerminalStatus.PENDING}
   order by p.turn, p.number, p.region_id, p.platform`,
);

const heldStatement = sql(
  'list_held_users',
  `select id from users where id = any($1::uuid[]) and suspended_terminals = 'stop'`,
);

const isOpen = `any_region and ${isWaiting}`;
const isElsewhere = (place: string) => `platform = ${place}.platform and region_id <> ${place}.region_id and ${isOpen}`;

/** A region that is closed to new terminals gets none that could go elsewhere. */
const isAccepted = ' and (select accepts_terminals from regions r where r.id = h.region_id)';

const changeRegionsStatement = sql(
  'change_open_regions',
  `with recursive ${toPicked(`${isOpen} order by platform, user_id`, isElsewhere, isAccepted)},
   chosen as (
     select distinct on (p.id) p.id, p.region_id from picked p order by p.id, p.place, p.region_id
   ), locked as (
     select c.id, c.region_id from chosen c cross join lateral (
       select * from terminals where id = c.id limit 1 for update skip locked
     ) t
     where t.any_region and t.waiting_since is not null and t.host_id is null and t.deleted_at is null
   )
   update terminals t set region_id = l.region_id, updated_at = now() from locked l where t.id = l.id`,
);

/**
 * Lets terminals whose owners chose no region wait where places are still free, at most `limit` of them. Call it after
 * `assignWaitingTerminals`, which assigns them the next time.
 */
export const changeOpenRegions = async (tx: Queryable, limit: number): Promise<void> => {
  await tx.query(changeRegionsStatement, [limit]);
};

interface WaitingTerminal {
  id: string;
  region: number;
  platform: string;
  user_id: string;
  /** It is not placed on hosts that it left. */
  has_left: boolean;
}

/** What the owner of a moved terminal reads until its new host reports. */
export const RETIRED_REASON =
  'The host was retired; the terminal waits for another host with free capacity in this region.';
const MOVED_REASON = 'The host was retired; the terminal is installed on another one.';

const assignStatement = sql(
  'assign_terminal',
  `with assigned as (
     update terminals set host_id = $2, waiting_since = null, any_region = false, updated_at = now(),
       status_reason = case when status_reason = $3 then $4 end
     where id = $1
   )
   update tasks set host_id = $2, state_since = case when status = ${TaskStatus.QUEUED} then now() else state_since end
   where terminal_id = $1 and host_id is null and finished_at is null`,
);

const turnsStatement = sql(
  'note_placement_turns',
  `insert into placement_turns (region_id, platform, user_id)
   select * from unnest($1::integer[], $2::text[], $3::uuid[])
   on conflict (region_id, platform) do update set user_id = excluded.user_id`,
);

/**
 * Assigns hosts to waiting terminals, in turns among their users, up to `limit` of them. @returns the hosts that got
 * work
 */
export const assignWaitingTerminals = async (tx: Queryable, limit: number): Promise<string[]> => {
  const waiting = await tx.query<WaitingTerminal>(waitingStatement, [limit]);
  if (waiting.length === 0) return [];
  const users = await tx.query<{ id: string }>(heldStatement, [waiting.map((terminal) => terminal.user_id)]);
  const held = new Set(users.map(({ id }) => id));
  const assigned: string[] = [];
  const full = new Set<string>();
  const turns = new Map<string, WaitingTerminal>();
  for (const terminal of waiting) {
    const { id, region, platform } = terminal;
    const place = `${region} ${platform}`;
    if (held.has(terminal.user_id)) {
      turns.set(place, terminal);
      continue;
    }
    const hostId = full.has(place) ? undefined : await reserveHost(tx, region, platform, { terminalId: id });
    if (hostId === undefined) {
      if (!terminal.has_left) full.add(place);
      continue;
    }
    await tx.query(assignStatement, [id, hostId, RETIRED_REASON, MOVED_REASON]);
    assigned.push(hostId);
    turns.set(place, terminal);
  }
  const last = [...turns.values()];
  if (last.length > 0) {
    const columns = [last.map((t) => t.region), last.map((t) => t.platform), last.map((t) => t.user_id)];
    await tx.query(turnsStatement, columns);
  }
  return assigned;
};

const countStatement = sql(
  'count_waiting_of',
  `select count(*) as total from terminals where id = any($1::uuid[]) and ${isWaiting}`,
);

/** How many of the terminals have no host yet. */
export const countWaitingOf = async (db: Queryable, ids: readonly string[]): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [ids]))[0]?.total ?? 0;

const longStatement = sql(
  'list_long_waiting_terminals',
  `select id from terminals
   where waiting_since < now() - (select time_lost from scheduler) - $1::double precision * interval '1 hour'
     and host_id is null and deleted_at is null and status = ${TerminalStatus.PENDING}
   order by waiting_since limit $2 for update skip locked`,
);

/**
 * Gives up on terminals that waited longer than a setting allows: they and their tasks fail, and their owners are
 * notified.
 */
export const failLongWaiting = async (
  { tx, ends, now }: { tx: Transaction; ends: TaskEnds; now: Date },
  hours: number,
  limit: number,
): Promise<void> => {
  const rows = await tx.query<{ id: string }>(longStatement, [hours, limit]);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const span = hours === 1 ? 'an hour' : `${hours} hours`;
  const text =
    `No host had a place for the terminal within ${span}. ` +
    'Delete it and create it again, in another region if you can; the operator of this service can add hosts.';
  const result = toServiceResult(ResultStatus.TIMED_OUT, 'place', 'E_HOST_LOST', text, now);
  await ends.end(tx, failInstallationsStatement, [JSON.stringify(result), ids]);
  const terminals = await TerminalChanges.lock(tx, ids);
  const uninstalled = ids.map((id) => ({ id, reason: text }));
  await giveUpInstallations({ tx, ends, terminals, now }, uninstalled);
  await terminals.write();
};
