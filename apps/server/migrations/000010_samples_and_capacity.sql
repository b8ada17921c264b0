-- What hosts say of their machines, and what they measure of terminals.

-- How many terminals a host's memory has room for, as it says itself; null: it did not say. The operator's number stays
-- the upper bound.
alter table hosts
  add column memory_capacity integer check (memory_capacity >= 0),
  add column places integer generated always as (least(capacity, memory_capacity)) stored;

-- Beside the row of the host, which every heartbeat writes anew.
create table host_facts (
  host_id uuid primary key references hosts (id),
  facts jsonb,
  told_at timestamptz not null default now()
);

-- The last sample of each terminal, and the minute that is being filled: small, and written every 15 seconds. Times are the
-- database's: no clock of a host decides about them.
create table terminal_loads (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  sampled_at timestamptz not null default now(),
  -- 0 down, 1 up, 2 stopped on purpose, and since when.
  link smallint not null,
  link_since timestamptz not null default now(),
  ping_ms smallint,
  memory_mb integer,
  -- Of one core.
  cpu_permille integer,
  disk_mb integer,
  minute_at timestamptz not null,
  -- Of that minute: samples of a terminal that was not stopped, those with its link up, the most memory, and the processor.
  watched smallint not null,
  ups smallint not null,
  most_memory_mb integer,
  cpu_sum bigint not null,
  cpu_count smallint not null
) with (fillfactor = 50);

-- Minutes that are over: one row for each hour of a terminal, its slots 1 to 60. A slot without a sample is null. No foreign
-- keys in this table and the next: their rows go by age.
create table terminal_minutes (
  terminal_id uuid not null,
  hour_at timestamptz not null,
  -- Percent of the minute; -1: stopped on purpose.
  link smallint[] not null,
  ping_ms smallint[] not null,
  memory_mb integer[] not null,
  cpu_permille integer[] not null,
  disk_mb integer[] not null,
  primary key (terminal_id, hour_at)
) with (fillfactor = 70);
create index terminal_minutes_by_age on terminal_minutes (hour_at);

-- Quarters of an hour, made of minutes that are older than a day: one row for each day, its slots 1 to 96.
create table terminal_quarters (
  terminal_id uuid not null,
  day_at timestamptz not null,
  -- Percent of the quarter without what was stopped on purpose; -1: nothing else.
  link smallint[] not null,
  -- How many of its minutes were not stopped on purpose.
  minutes smallint[] not null,
  ping_ms smallint[] not null,
  memory_mb integer[] not null,
  cpu_permille integer[] not null,
  disk_mb integer[] not null,
  primary key (terminal_id, day_at)
) with (fillfactor = 70);
create index terminal_quarters_by_age on terminal_quarters (day_at);

-- What either of two rows of slots has; where both have something, what is newer.
create function merge_slots(old_slots anyarray, new_slots anyarray) returns anyarray language sql immutable as $$
  select array_agg(coalesce(s.new_slot, s.old_slot) order by s.number)
  from unnest(old_slots, new_slots) with ordinality as s (old_slot, new_slot, number)
$$;
