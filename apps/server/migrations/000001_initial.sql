-- Berth's first schema. Names of states and the meaning of every column: docs/architecture.md.
-- Identifiers are UUIDv7 made by the server: they grow with time, so that indexes stay compact.

create extension if not exists pg_trgm;

create table users (
  id uuid primary key,
  name text not null,
  email text not null,
  password_hash text not null,
  email_verified_at timestamptz,
  plan smallint not null default 0,
  status smallint not null default 0 check (status in (0, 1, 2)),
  is_operator boolean not null default false,
  balance numeric(14, 2) not null default 0,
  default_project_id uuid not null,
  plan_expires_at timestamptz,
  referrer_id uuid references users (id),
  welcome_claimed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index users_email on users (lower(email));

create table projects (
  id uuid primary key,
  user_id uuid not null references users (id),
  name text not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_by_user on projects (user_id, created_at desc, id desc);
alter table users add constraint users_default_project foreign key (default_project_id) references projects (id) deferrable initially deferred;

-- A revoked token is a deleted row. Only the SHA-256 of its secret is kept.
create table tokens (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id),
  name text not null,
  abilities text[] not null,
  secret_hash bytea not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index tokens_by_user on tokens (user_id, id desc);

create table password_resets (
  user_id uuid primary key references users (id),
  code_hash bytea not null,
  tries_left smallint not null,
  expires_at timestamptz not null
);

create table notifications (
  id uuid primary key,
  user_id uuid not null references users (id),
  type text not null,
  data jsonb not null default '{}',
  read_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index notifications_by_user on notifications (user_id, created_at desc, id desc);
create index notifications_unread on notifications (user_id, created_at desc, id desc) where read_at is null;

create table regions (
  id integer primary key,
  label text not null,
  country text not null check (country ~ '^[a-z]{2}$')
);
insert into regions (id, label, country) values
  (0, 'London', 'gb'), (1, 'New York', 'us'), (2, 'Singapore', 'sg'), (3, 'Frankfurt', 'de');

-- status: 0 enrolled (never seen), 1 online, 2 lost, 3 retired
create table hosts (
  id uuid primary key,
  region_id integer not null references regions (id),
  name text not null,
  platforms text[] not null,
  capacity integer not null check (capacity > 0),
  terminal_count integer not null default 0 check (terminal_count >= 0),
  status smallint not null default 0 check (status in (0, 1, 2, 3)),
  credential_hash bytea,
  session_id uuid,
  agent_version text,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 70);

-- One-time tokens with which an agent enrols a host; a used one is a deleted row.
create table join_tokens (
  id uuid primary key,
  secret_hash bytea not null,
  region_id integer not null references regions (id),
  name text not null,
  capacity integer not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

-- The volatile columns (status …, synced_at) stand in no index, so that their updates stay in the page (HOT).
create table terminals (
  id uuid primary key,
  user_id uuid not null references users (id),
  project_id uuid not null references projects (id),
  host_id uuid references hosts (id),
  region_id integer not null references regions (id),
  platform text not null,
  name text not null,
  server_name text not null,
  login text not null,
  path text,
  status smallint not null default 0 check (status between 0 and 10),
  status_reason text,
  status_changed_at timestamptz not null default now(),
  -- the last status that a notification told the owner of; restarts in between stay silent
  announced_status smallint,
  synced_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  search_text text generated always as (lower(name || E'\n' || login || E'\n' || server_name)) stored
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.01);
create index terminals_by_created on terminals (user_id, created_at, id) where deleted_at is null;
create index terminals_by_name on terminals (user_id, name, id) where deleted_at is null;
create index terminals_by_server_name on terminals (user_id, server_name, id) where deleted_at is null;
create index terminals_by_login on terminals (user_id, login, id) where deleted_at is null;
create index terminals_by_search on terminals using gin (search_text gin_trgm_ops) where deleted_at is null;
create index terminals_by_host on terminals (host_id) where deleted_at is null;
create index terminals_waiting on terminals (region_id, created_at) where host_id is null and deleted_at is null;

-- The trading password of a terminal, sealed (docs/decisions: secrets).
create table terminal_secrets (
  terminal_id uuid not null references terminals (id) on delete cascade,
  field text not null,
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (terminal_id, field)
);

-- No foreign keys on the hot tables: a task is inserted by a statement that reads its terminal, and terminals are removed
-- only together with their tasks. No index key changes while a task lives but `finished_at`, at its end.
create table tasks (
  id uuid primary key,
  seq bigint generated always as identity,
  user_id uuid not null,
  host_id uuid,
  terminal_id uuid not null,
  chart_id text,
  type smallint not null check (type between 0 and 14),
  payload jsonb not null default '{}',
  sealed text,
  result jsonb,
  status smallint not null default 0 check (status between 0 and 7),
  attempts smallint not null default 0,
  actor text not null default 'user',
  planned_at timestamptz,
  available_at timestamptz,
  state_since timestamptz not null default now(),
  delivered_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check ((finished_at is null) = (status < 4))
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index tasks_by_terminal on tasks (terminal_id, seq desc);
-- The queue: every task that has not ended, in the order of its terminal.
create index tasks_open on tasks (host_id, terminal_id, seq) where finished_at is null;

-- The lease of the one attempt that a terminal carries out: its primary key is what makes "one task at a time" true.
create table task_leases (
  terminal_id uuid primary key,
  task_id uuid not null,
  host_id uuid not null,
  fence smallint not null,
  expires_at timestamptz not null,
  deadline_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index task_leases_by_host on task_leases (host_id);

create table task_history (
  task_id uuid not null,
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  from_status smallint,
  to_status smallint not null,
  actor text not null,
  attempt smallint not null,
  primary key (task_id, id)
);

-- Which moves of a task exist, and the single steps they consist of. Equal to the contract's table (checked by a test).
create table task_moves (
  from_status smallint not null,
  to_status smallint not null,
  step smallint not null,
  step_from smallint not null,
  step_to smallint not null,
  primary key (from_status, to_status, step)
);
insert into task_moves values
  (0, 1, 1, 0, 1), (0, 6, 1, 0, 6),
  (1, 2, 1, 1, 2), (1, 5, 1, 1, 5), (1, 6, 1, 1, 6),
  (2, 1, 1, 2, 1), (2, 3, 1, 2, 3), (2, 5, 1, 2, 5), (2, 7, 1, 2, 7),
  (3, 1, 1, 3, 1), (3, 4, 1, 3, 4), (3, 5, 1, 3, 5), (3, 7, 1, 3, 7),
  (0, 2, 1, 0, 1), (0, 2, 2, 1, 2),
  (2, 4, 1, 2, 3), (2, 4, 2, 3, 4);

create function refuse_task_move(from_status smallint, to_status smallint) returns smallint language plpgsql as $$
begin
  raise exception 'a task cannot move from status % to %', from_status, to_status using errcode = 'check_violation';
end $$;

create function record_new_tasks() returns trigger language plpgsql as $$
begin
  insert into task_history (task_id, from_status, to_status, actor, attempt)
  select id, null, status, actor, attempts from new_rows;
  return null;
end $$;

create function record_task_moves() returns trigger language plpgsql as $$
begin
  insert into task_history (task_id, from_status, to_status, actor, attempt)
  select n.id, m.step_from, coalesce(m.step_to, refuse_task_move(o.status, n.status)), n.actor, n.attempts
  from new_rows n
  join old_rows o on o.id = n.id
  left join task_moves m on m.from_status = o.status and m.to_status = n.status
  where o.status <> n.status
  order by n.seq, m.step;
  return null;
end $$;

create trigger tasks_inserted after insert on tasks
  referencing new table as new_rows for each statement execute function record_new_tasks();
create trigger tasks_updated after update on tasks
  referencing old table as old_rows new table as new_rows for each statement execute function record_task_moves();

create table files (
  id uuid primary key,
  user_id uuid not null,
  name text not null,
  type text not null,
  size integer not null,
  sha256 text not null,
  content bytea not null,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
alter table files alter column content set storage external;
create index files_expiring on files (expires_at) where expires_at is not null;

create table idempotency_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- One row: when a scheduler last ran. A gap means that no server was up, and that silence of hosts proves nothing.
create table scheduler (
  id boolean primary key default true check (id),
  last_run_at timestamptz not null default now()
);
insert into scheduler default values;
