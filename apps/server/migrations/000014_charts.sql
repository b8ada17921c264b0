-- The charts and experts of a terminal, as its host saw them last. `json`, which keeps the order of an expert's inputs. What an
-- earlier host saw is over when the terminal has another one.
create table terminal_charts (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  host_id uuid not null,
  charts json not null,
  truncated boolean not null,
  seen_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
) with (fillfactor = 70);

-- Tells who watches that a terminal has other charts. What was seen again as it was is nobody's news.
create function announce_charts() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(t.user_id), 'charts', array_agg(json_build_object('id', t.id)))
    from new_rows n
    join terminals t on t.id = n.terminal_id
    where n.changed_at = now()
    having count(*) > 0;
  end if;
  return null;
end $$;
create trigger charts_inserted after insert on terminal_charts
  referencing new table as new_rows for each statement execute function announce_charts();
create trigger charts_updated after update on terminal_charts
  referencing new table as new_rows for each statement execute function announce_charts();

-- A new picture is shown in lists of terminals; a small copy of it is no news.
create function announce_pictures() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(t.user_id), 'terminal', array_agg(json_build_object('id', t.id, 'status', t.status)))
    from new_rows n
    join terminals t on t.id = n.terminal_id
    where n.taken_at = now()
    having count(*) > 0;
  end if;
  return null;
end $$;
create trigger pictures_inserted after insert on terminal_pictures
  referencing new table as new_rows for each statement execute function announce_pictures();
create trigger pictures_updated after update on terminal_pictures
  referencing new table as new_rows for each statement execute function announce_pictures();
