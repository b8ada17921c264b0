-- The tasks of all terminals of a user, newest first, by type; and those that ended otherwise than well, which are few. No status
-- in them: it changes with every move.
create index tasks_by_user on tasks (user_id, type, seq desc);
create index tasks_unsuccessful on tasks (user_id, seq desc)
  where finished_at is not null and coalesce(result ->> 'status', '') <> '0';

-- How many terminals a project has, and since when; also for the reference of destroyed ones.
create index terminals_by_project on terminals (project_id, deleted_at, created_at);

-- A new name and another project are news, too.
create or replace function announce_terminal_changes() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'terminal', array_agg(json_build_object('id', n.id, 'status', n.status)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (o.status, o.login, o.server_name, o.name, o.project_id) <> (n.status, n.login, n.server_name, n.name, n.project_id)
      or o.status_reason is distinct from n.status_reason;
  end if;
  return null;
end $$;
