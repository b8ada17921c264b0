-- Pictures that the service takes by itself: how often is the user's choice, null is never.
alter table terminals add column picture_every_minutes smallint check (picture_every_minutes between 1 and 1440);

-- When it is a terminal's turn. Beside its row, which these changes must not write anew.
create table picture_turns (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  next_at timestamptz not null default now()
) with (fillfactor = 70);
create index picture_turns_by_time on picture_turns (next_at);

-- Tasks that take such pictures. They and their files are kept shorter than others. No foreign key: tasks have none.
create table automatic_pictures (
  task_id uuid primary key,
  expires_at timestamptz not null
);
create index automatic_pictures_by_time on automatic_pictures (expires_at);

-- How often pictures are taken is news, too.
create or replace function announce_terminal_changes() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'terminal', array_agg(json_build_object('id', n.id, 'status', n.status)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (o.status, o.login, o.server_name, o.name, o.project_id) <> (n.status, n.login, n.server_name, n.name, n.project_id)
      or (o.status_reason, o.picture_every_minutes) is distinct from (n.status_reason, n.picture_every_minutes);
  end if;
  return null;
end $$;
