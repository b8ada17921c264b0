-- A task on many terminals that the service carries on by itself: the members are fixed at one moment, their tasks are created
-- in portions, and what came of each is noted here.
create table bulk_runs (
  id uuid primary key,
  user_id uuid not null references users (id),
  type smallint not null,
  payload jsonb not null,
  sealed text,
  planned_at timestamptz,
  stagger_seconds integer not null,
  total integer not null,
  -- How many items have each state, in the order of the states, once it is over.
  counts integer[],
  created_at timestamptz not null default now(),
  canceled_at timestamptz,
  finished_at timestamptz,
  -- When its turn was last: those who waited longest go first.
  served_at timestamptz not null default now()
);
create index bulk_runs_by_user on bulk_runs (user_id, created_at desc, id desc);
create index bulk_runs_open on bulk_runs (served_at) where finished_at is null;
create index bulk_runs_finished on bulk_runs (finished_at);

-- `state`: 0 failed, 1 skipped, 2 canceled, 3 in progress, 4 pending, 5 succeeded. What wants somebody comes first.
create table bulk_run_items (
  run_id uuid not null references bulk_runs (id) on delete cascade,
  number integer not null,
  terminal_id uuid not null,
  task_id uuid,
  state smallint not null check (state between 0 and 5),
  reason text,
  code text,
  primary key (run_id, number)
) with (fillfactor = 80);
create index bulk_run_items_by_state on bulk_run_items (run_id, state, number);
