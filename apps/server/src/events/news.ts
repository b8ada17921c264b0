/**
 * What is noticed where it would cost too much to write an event at once: hosts that are back, in the statement of all heartbeats,
 * and builds that changed, in that of all samples. The database notes them, and their events are written within a tick.
 */
import { HostStatus } from '@berth/contract';
import { sql, type Database } from '../db/database.ts';
import { recordEvents } from './record.ts';

/** Of one round. */
const ITEMS = 500;

const hasNewsStatement = sql(
  'has_news',
  `select exists (
     select from lost_hosts l left join hosts h on h.id = l.host_id where h.status is distinct from ${HostStatus.LOST}
   ) as has_hosts, exists (select from build_changes) as has_builds`,
);

const backStatement = sql(
  'take_returned_hosts',
  `with over as (
     select l.host_id, l.user_id, h.status, h.name from lost_hosts l left join hosts h on h.id = l.host_id
     where h.status is distinct from ${HostStatus.LOST} order by l.host_id, l.user_id limit ${ITEMS} for update of l skip locked
   ), gone as (
     delete from lost_hosts l using over where l.host_id = over.host_id and l.user_id = over.user_id
   )
   select host_id, user_id, name from over where status = ${HostStatus.ONLINE}`,
);

const buildsStatement = sql(
  'take_build_changes',
  `with taken as (
     delete from build_changes where id = any(array(
       select id from build_changes order by id limit ${ITEMS} for update skip locked
     )) returning id, terminal_id, from_build, to_build
   )
   select t.id as terminal_id, t.user_id, t.name, k.from_build, k.to_build
   from (select terminal_id, (array_agg(from_build order by id))[1] as from_build, (array_agg(to_build order by id desc))[1] as to_build
     from taken group by terminal_id) k
   join terminals t on t.id = k.terminal_id and t.deleted_at is null
   where k.from_build <> k.to_build order by t.id for no key update of t`,
);

interface ReturnedHost {
  host_id: string;
  user_id: string;
  name: string;
}

interface BuildChange {
  terminal_id: string;
  user_id: string;
  name: string;
  from_build: number;
  to_build: number;
}

/** Writes the events of hosts that are back, and of builds that changed. */
export const tellNews = async (db: Database): Promise<void> => {
  const [news] = await db.query<{ has_hosts: boolean; has_builds: boolean }>(hasNewsStatement);
  if (news?.has_hosts) {
    await db.transaction(async (tx) => {
      const hosts = await tx.query<ReturnedHost>(backStatement);
      const toEvent = ({ host_id, user_id: userId, name }: ReturnedHost) =>
        ({ type: 'host.back', userId, terminalId: null, data: { host_id, name } }) as const;
      await recordEvents(tx, hosts.map(toEvent));
    });
  }
  if (news?.has_builds) {
    await db.transaction(async (tx) => {
      const changes = await tx.query<BuildChange>(buildsStatement);
      const toEvent = ({ terminal_id: terminalId, user_id: userId, name, ...build }: BuildChange) =>
        ({
          type: 'terminal.updated',
          userId,
          terminalId,
          data: { name, from: build.from_build, to: build.to_build },
        }) as const;
      await recordEvents(tx, changes.map(toEvent));
    });
  }
};
