-- How often something that is limited was used, by all servers together, until the end of its minute. Unlogged: after a crash of
-- PostgreSQL each server goes on with what it counted itself.
create unlogged table rate_uses (
  -- The beginning of a SHA-256 of what is limited: no address of a person stands here.
  key bytea primary key,
  uses integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- A session that listens in a transaction without an end, of whatever database of the cluster, lets PostgreSQL's queue of
-- notifications grow; when it is full, every transaction that notifies fails. Events are hints: long before that they are left
-- out, and servers tell their readers to read everything anew.
create or replace function announce(users uuid[], event text, data json[]) returns void language sql as $$
  select pg_notify('berth_events', json_build_object('user', c.user_id, 'event', event, 'data', c.data)::text)
  from unnest(users, data) as c (user_id, data)
  where exists (select from event_watchers w where w.user_id = c.user_id)
    and (select pg_notification_queue_usage()) < 0.75
$$;
