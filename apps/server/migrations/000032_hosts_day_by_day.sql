-- What operators set for a host. Without a capacity of theirs its memory alone says how many terminals it takes.
alter table hosts
  alter column capacity drop not null,
  add column cordoned_at timestamptz,
  add column drain_started_at timestamptz,
  add column drain_deadline_at timestamptz,
  add column drain_terminals text check (drain_terminals in ('stop', 'stay'));
create index hosts_draining on hosts (id) where drain_started_at is not null;

-- The TERMINAL_STOP that a drain of its host asked the terminal for last.
alter table terminals add column drain_task_id uuid;

-- A used token is kept, with the host that used it.
alter table join_tokens
  add column used_at timestamptz,
  add column host_id uuid references hosts (id) on delete set null;
create index join_tokens_by_created on join_tokens (created_at desc, id desc);

-- What hosts had in use: minutes of a day by the hour, and quarters of an hour by the day, like those of terminals.
create table host_minutes (
  host_id uuid not null references hosts (id) on delete cascade,
  hour_at timestamptz not null,
  load_percent integer[] not null,
  memory_mb integer[] not null,
  disk_mb integer[] not null,
  primary key (host_id, hour_at)
) with (fillfactor = 70);
create table host_quarters (
  host_id uuid not null references hosts (id) on delete cascade,
  day_at timestamptz not null,
  load_percent integer[] not null,
  memory_mb integer[] not null,
  disk_mb integer[] not null,
  primary key (host_id, day_at)
) with (fillfactor = 70);
