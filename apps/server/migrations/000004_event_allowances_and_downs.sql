-- How many events of a terminal may still be written one by one: a host that reports another status all the time shall not
-- fill its owner's log (src/event-log/allowance.ts). A terminal without a row has all of them.
create table event_allowances (
  terminal_id uuid primary key references terminals on delete cascade,
  -- What was left at `counted_at`; it grows with time.
  remaining real not null,
  counted_at timestamptz not null default now(),
  -- Events that were not written since the last one that was.
  skipped integer not null default 0,
  -- The status before the first of them that was a change of status.
  skipped_from smallint,
  skipped_switch boolean not null default false
);
create index event_allowances_with_skipped on event_allowances (terminal_id) where skipped > 0;

-- Terminals that are down, since when.
create table terminal_downs (
  terminal_id uuid primary key references terminals on delete cascade,
  since timestamptz not null default now()
);
insert into terminal_downs (terminal_id, since)
select id, status_changed_at from terminals where deleted_at is null and status in (4, 6, 10);
