-- A stop of all algo trading: it stays until its user ends it. What is not confirmed is asked again and again.
create table trading_stops (
  user_id uuid primary key references users (id),
  -- The run that asked all terminals last.
  run_id uuid not null,
  started_at timestamptz not null default now()
);

-- The terminals of an open stop: those that were installed when it began.
create table trading_stop_terminals (
  terminal_id uuid primary key,
  user_id uuid not null references trading_stops (user_id) on delete cascade,
  -- Whether algo trading was on when the stop began; null: unknown.
  was_on boolean,
  -- What counts as a confirmation was asked for after this.
  since timestamptz not null default now(),
  confirmed_at timestamptz,
  asked_at timestamptz not null default now(),
  -- Its status then.
  asked_status smallint not null,
  tries smallint not null default 0
);
create index trading_stop_terminals_by_user on trading_stop_terminals (user_id, terminal_id);
create index trading_stop_terminals_unconfirmed on trading_stop_terminals (asked_at) where confirmed_at is null;

-- Who watches live learns of a stop, and of its end, as of its runs.
create function announce_trading_stops() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'bulk_run', array_agg(json_build_object('id', run_id))) from changed_rows;
  end if;
  return null;
end $$;
create trigger trading_stops_inserted after insert on trading_stops
  referencing new table as changed_rows for each statement execute function announce_trading_stops();
create trigger trading_stops_deleted after delete on trading_stops
  referencing old table as changed_rows for each statement execute function announce_trading_stops();
