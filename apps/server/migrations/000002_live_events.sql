-- Who watches live events, and on which server. Unlogged: after a crash every server says it anew.
create unlogged table event_watchers (
  user_id uuid not null,
  server_id uuid not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, server_id)
);

-- Sends the events of users that are watched; PostgreSQL delivers them when the transaction commits, and only then.
create function announce(users uuid[], event text, data json[]) returns void language sql as $$
  select pg_notify('berth_events', json_build_object('user', c.user_id, 'event', event, 'data', c.data)::text)
  from unnest(users, data) as c (user_id, data)
  where exists (select from event_watchers w where w.user_id = c.user_id)
$$;

create or replace function record_new_tasks() returns trigger language plpgsql as $$
begin
  insert into task_history (task_id, from_status, to_status, actor, attempt)
  select id, null, status, actor, attempts from new_rows;
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'task', array_agg(
      json_build_object('id', id, 'terminal_id', terminal_id, 'type', type, 'status', status) order by seq))
    from new_rows;
  end if;
  return null;
end $$;

create or replace function record_task_moves() returns trigger language plpgsql as $$
begin
  insert into task_history (task_id, from_status, to_status, actor, attempt)
  select n.id, m.step_from, coalesce(m.step_to, refuse_task_move(o.status, n.status)), n.actor, n.attempts
  from new_rows n
  join old_rows o on o.id = n.id
  left join task_moves m on m.from_status = o.status and m.to_status = n.status
  where o.status <> n.status
  order by n.seq, m.step;
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id order by n.seq), 'task', array_agg(
      json_build_object('id', n.id, 'terminal_id', n.terminal_id, 'type', n.type, 'status', n.status) order by n.seq))
    from new_rows n
    join old_rows o on o.id = n.id
    where o.status <> n.status;
  end if;
  return null;
end $$;

create function announce_new_terminals() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'terminal', array_agg(json_build_object('id', id, 'status', status)))
    from new_rows;
  end if;
  return null;
end $$;

create function announce_terminal_changes() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'terminal', array_agg(json_build_object('id', n.id, 'status', n.status)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (o.status, o.login, o.server_name) <> (n.status, n.login, n.server_name)
      or o.status_reason is distinct from n.status_reason;
  end if;
  return null;
end $$;

create trigger terminals_inserted after insert on terminals
  referencing new table as new_rows for each statement execute function announce_new_terminals();
create trigger terminals_updated after update on terminals
  referencing old table as old_rows new table as new_rows for each statement execute function announce_terminal_changes();

create function announce_notifications() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'notification', array_agg(json_build_object('id', id)))
    from new_rows;
  end if;
  return null;
end $$;

create trigger notifications_inserted after insert on notifications
  referencing new table as new_rows for each statement execute function announce_notifications();

-- Not for clients: the servers look whether the streams of this user may go on.
create function announce_access() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(distinct user_id), 'access', null) from old_rows;
  end if;
  return null;
end $$;

create function announce_account() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.id), 'access', null)
    from new_rows n
    join old_rows o on o.id = n.id
    where o.status <> n.status or o.deleted_at is distinct from n.deleted_at;
  end if;
  return null;
end $$;

create trigger tokens_deleted after delete on tokens
  referencing old table as old_rows for each statement execute function announce_access();
create trigger users_updated after update on users
  referencing old table as old_rows new table as new_rows for each statement execute function announce_account();
