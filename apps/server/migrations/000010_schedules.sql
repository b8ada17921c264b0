-- Tasks that are created again and again, at times that a cron expression names (src/scheduler/schedules.ts).
create table schedules (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  -- One of the two.
  terminal_ids uuid[],
  filter jsonb,
  type smallint not null,
  payload jsonb not null,
  stagger_seconds integer not null,
  cron text not null,
  time_zone text not null,
  missed text not null check (missed in ('run_once', 'skip')),
  enabled boolean not null,
  -- null: switched off, or it never comes
  next_at timestamptz,
  -- When it was due, while its run has to wait.
  waits_since timestamptz,
  -- `ScheduleRun` of the contract
  last_run jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((terminal_ids is null) <> (filter is null))
);
create index schedules_by_user on schedules (user_id, id);
create index schedules_due on schedules (next_at) where next_at is not null;
