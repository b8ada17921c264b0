-- Berth's schema. Names of states and the meaning of every table: docs/architecture.md.
-- Identifiers are UUIDv7 made by the server: they grow with time, so that indexes stay compact.

create extension if not exists pg_trgm;

-- Live events

-- Who watches live events, and on which server. Unlogged: after a crash every server says it anew.
create unlogged table event_watchers (
  user_id uuid not null,
  server_id uuid not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, server_id)
);

-- Sends the events of users that are watched; PostgreSQL delivers them when the transaction commits, and only then. The
-- triggers of the tables below call it.
--
-- A session that listens in a transaction without an end, of whatever database of the cluster, lets PostgreSQL's queue of
-- notifications grow; when it is full, every transaction that notifies fails. Events are hints: long before that they are
-- left out, and servers tell their readers to read everything anew.
create function announce(users uuid[], event text, data json[]) returns void language sql as $$
  select pg_notify('berth_events', json_build_object('user', c.user_id, 'event', event, 'data', c.data)::text)
  from unnest(users, data) as c (user_id, data)
  where exists (select from event_watchers w where w.user_id = c.user_id)
    and (select pg_notification_queue_usage()) < 0.75
$$;

-- Users

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

-- Not for clients: the servers look whether the streams of this user may go on.
create function announce_account() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.id), 'access', null)
    from new_rows n
    join old_rows o on o.id = n.id
    where o.status <> n.status or o.deleted_at is distinct from n.deleted_at;
  end if;
  return null;
end $$;
create trigger users_updated after update on users
  referencing old table as old_rows new table as new_rows for each statement execute function announce_account();

create table projects (
  id uuid primary key,
  user_id uuid not null references users (id),
  name text not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_by_user on projects (user_id, created_at desc, id desc);

-- The two tables refer to each other: a user and the default project are made in one transaction.
alter table users add constraint users_default_project
  foreign key (default_project_id) references projects (id) deferrable initially deferred;

-- A revoked token is a deleted row. Only the SHA-256 of its secret is kept.
create table tokens (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id),
  name text not null,
  abilities text[] not null,
  secret_hash bytea not null,
  -- Logins make room for one another where an account has its hundred tokens; a token that its user made never does. Of an
  -- API token its user was told, of a login not.
  is_login boolean not null default false,
  -- A browser's session is a login whose secret stands in a cookie. It is over when it was not used for long: what is used
  -- moves its expiry. The device is made of known words, never of what a browser says.
  is_session boolean not null default false,
  device text,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index tokens_by_user on tokens (user_id, id desc);

-- Not for clients, as `announce_account`.
create function announce_access() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(distinct user_id), 'access', null) from old_rows;
  end if;
  return null;
end $$;
create trigger tokens_deleted after delete on tokens
  referencing old table as old_rows for each statement execute function announce_access();

-- Links that sign a user in once, without a password. A used one is a deleted row.
create table sign_in_links (
  id uuid primary key,
  user_id uuid not null references users (id),
  secret_hash bytea not null,
  expires_at timestamptz not null
);
create index sign_in_links_by_user on sign_in_links (user_id);

-- Codes for a new password, by the address that was typed: one that belongs to nobody costs the same work. Several may be
-- valid, so that asking again takes no code away.
create table reset_codes (
  id uuid primary key,
  address_hash bytea not null,
  code_hash bytea not null,
  tries_left smallint not null,
  expires_at timestamptz not null
);
create index reset_codes_by_address on reset_codes (address_hash);
create index reset_codes_by_expiry on reset_codes (expires_at);

-- How many codes for a new password were mailed to an address within an hour, and how often somebody tried one within a
-- quarter of an hour: strangers must neither fill a mailbox nor use up what its owner may try. Both are kept as hashes,
-- whether there is an account or not.
create table reset_mails (
  address_hash bytea primary key,
  mails smallint not null,
  ends_at timestamptz not null
);
create index reset_mails_by_end on reset_mails (ends_at);

create table reset_tries (
  address_hash bytea not null,
  caller_hash bytea not null,
  tries smallint not null,
  ends_at timestamptz not null,
  primary key (address_hash, caller_hash)
);
create index reset_tries_by_end on reset_tries (ends_at);

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
-- Notifications of one kind about one thing are counted up for some minutes.
create index notifications_by_subject on notifications (user_id, (data ->> 'id'), type, created_at desc);

create function announce_notifications() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'notification', array_agg(json_build_object('id', id)))
    from new_rows;
  end if;
  return null;
end $$;
create trigger notifications_inserted after insert on notifications
  referencing new table as new_rows for each statement execute function announce_notifications();

create table idempotency_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- How often something that is limited was used, by all servers together, until the end of its minute. Unlogged: after a
-- crash of PostgreSQL each server goes on with what it counted itself.
create unlogged table rate_uses (
  -- The beginning of a SHA-256 of what is limited: no address of a person stands here.
  key bytea primary key,
  uses integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- Hosts

create table regions (
  id integer primary key,
  label text not null,
  country text not null check (country ~ '^[a-z]{2}$')
);
insert into regions (id, label, country) values
  (0, 'London', 'gb'), (1, 'New York', 'us'), (2, 'Singapore', 'sg'), (3, 'Frankfurt', 'de');

create table hosts (
  id uuid primary key,
  region_id integer not null references regions (id),
  name text not null,
  platforms text[] not null,
  -- The operator's number is the upper bound.
  capacity integer not null check (capacity > 0),
  -- How many terminals its memory has room for, as the host says itself; null: it did not say.
  memory_capacity integer check (memory_capacity >= 0),
  places integer generated always as (least(capacity, memory_capacity)) stored,
  terminal_count integer not null default 0 check (terminal_count >= 0),
  -- 0 enrolled (never seen), 1 online, 2 lost, 3 retired
  status smallint not null default 0 check (status in (0, 1, 2, 3)),
  credential_hash bytea,
  session_id uuid,
  agent_version text,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 70);

-- What hosts say of their machines. Beside the row of the host, which every heartbeat writes anew.
create table host_facts (
  host_id uuid primary key references hosts (id),
  facts jsonb,
  reported_at timestamptz not null default now()
);

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

-- Who was given a host last in a region for a platform: the next one in turn comes after.
create table placement_turns (
  region_id integer not null references regions (id),
  platform text not null,
  user_id uuid not null,
  primary key (region_id, platform)
);

-- Terminals

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
  -- The last status that a notification told the owner of; restarts in between stay silent.
  announced_status smallint,
  -- Whether experts may trade, as the host last saw it; both null where nobody knows.
  trading_allowed boolean,
  trading_reason text,
  -- How often an automatic screenshot is taken; null is never.
  screenshot_every_minutes smallint check (screenshot_every_minutes between 1 and 1440),
  -- Since when it waits for a host, on the clock without downtimes.
  waiting_since timestamptz,
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
-- How many terminals a project has, and since when; also for the reference of destroyed ones.
create index terminals_by_project on terminals (project_id, deleted_at, created_at);
create index terminals_waiting on terminals (region_id, platform, user_id, waiting_since, id)
  where waiting_since is not null and host_id is null and deleted_at is null;
-- Failed, or being destroyed.
create index terminals_hostless on terminals (id) where waiting_since is null and host_id is null and deleted_at is null;
-- Destroyed terminals are removed a month later.
create index terminals_destroyed on terminals (deleted_at) where deleted_at is not null;

create function announce_new_terminals() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'terminal', array_agg(json_build_object('id', id, 'status', status)))
    from new_rows;
  end if;
  return null;
end $$;
create trigger terminals_inserted after insert on terminals
  referencing new table as new_rows for each statement execute function announce_new_terminals();

create function announce_terminal_changes() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'terminal', array_agg(json_build_object('id', n.id, 'status', n.status)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (o.status, o.login, o.server_name, o.name, o.project_id) <> (n.status, n.login, n.server_name, n.name, n.project_id)
      or (o.status_reason, o.screenshot_every_minutes) is distinct from (n.status_reason, n.screenshot_every_minutes);
  end if;
  return null;
end $$;
create trigger terminals_updated after update on terminals
  referencing old table as old_rows new table as new_rows for each statement execute function announce_terminal_changes();

-- The trading password of a terminal, sealed (docs/decisions: secrets).
create table terminal_secrets (
  terminal_id uuid not null references terminals (id) on delete cascade,
  field text not null,
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (terminal_id, field)
);

-- The charts and experts of a terminal, as its host saw them last. `json`, which keeps the order of an expert's inputs. What
-- an earlier host saw is over when the terminal has another one.
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
  -- As the terminal said last: terminals update themselves.
  build integer,
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

-- Tasks

-- When, from which status (null: it was created), to which one, by whom, and in which attempt.
create type task_move as (at timestamptz, from_status smallint, to_status smallint, actor text, attempt smallint);

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
  -- Its moves, in its own row: one write per move instead of two, and a task goes with its history.
  history task_move[] not null default '{}',
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
-- The tasks of all terminals of a user, newest first, by type. No status in it: it changes with every move. It has all that
-- such a list is counted and paged by, so that the rows of the table are not read: of a million that took seconds, more than
-- a statement may.
create index tasks_by_user on tasks (user_id, type, seq desc) include (id);
-- Those that ended otherwise than well, which are few.
create index tasks_unsuccessful on tasks (user_id, seq desc)
  where finished_at is not null and coalesce(result ->> 'status', '') <> '0';
-- Which open task needs a file. Few tasks name one.
create index tasks_by_file on tasks (lower(payload ->> 'file_id')) where finished_at is null and payload ? 'file_id';

create view task_history as
select t.id as task_id, m.number as id, m.at, m.from_status, m.to_status, m.actor, m.attempt
from tasks t cross join lateral unnest(t.history) with ordinality as m (at, from_status, to_status, actor, attempt, number);

-- The steps of one update. Some updates do two moves at once; the history gets both. Inlined where it is called.
create function task_steps(from_status smallint, to_status smallint, actor text, attempt smallint) returns task_move[]
language sql stable as $$
  select case
    when from_status = 0 and to_status in (2, 5) then array[
      row(now(), 0, 1, actor, attempt), row(now(), 1, to_status, actor, attempt)
    ]::task_move[]
    when from_status = 2 and to_status = 4 then array[
      row(now(), 2, 3, actor, attempt), row(now(), 3, 4, actor, attempt)
    ]::task_move[]
    else array[row(now(), from_status, to_status, actor, attempt)]::task_move[]
  end
$$;

-- The moves that the contract knows (checked by a test), two at once included. Inlined, too.
create function is_task_move(from_status smallint, to_status smallint) returns boolean
language sql immutable as $$
  select (from_status, to_status) in (
    (0, 1), (0, 2), (0, 5), (0, 6), (1, 2), (1, 5), (1, 6),
    (2, 1), (2, 3), (2, 4), (2, 5), (2, 7), (3, 1), (3, 4), (3, 5), (3, 7)
  )
$$;

-- Statements of the service append the steps of their moves. For those that do not (of the version before, during an
-- upgrade, or of a person) this does it; a move that is not known is refused. It is called for nothing else.
create function complete_task_move() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.history := task_steps(null, new.status, new.actor, new.attempts);
    return new;
  end if;
  if not is_task_move(old.status, new.status) then
    raise exception 'a task cannot move from status % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  new.history := old.history || task_steps(old.status, new.status, new.actor, new.attempts);
  return new;
end $$;

create trigger tasks_created before insert on tasks for each row
when (cardinality(new.history) = 0) execute function complete_task_move();

create trigger tasks_moved before update of status on tasks for each row
when (
  old.status <> new.status and (
    not is_task_move(old.status, new.status)
    or cardinality(new.history) <= cardinality(old.history)
    or (new.history[cardinality(new.history)]).to_status is distinct from new.status
  )
) execute function complete_task_move();

create function announce_tasks() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id order by seq), 'task', array_agg(
      json_build_object('id', id, 'terminal_id', terminal_id, 'type', type, 'status', status) order by seq))
    from new_rows
    -- Those that moved: other columns are nobody's news.
    where (history[cardinality(history)]).at = now()
    having count(*) > 0;
  end if;
  return null;
end $$;
create trigger tasks_inserted after insert on tasks
  referencing new table as new_rows for each statement execute function announce_tasks();
create trigger tasks_updated after update on tasks
  referencing new table as new_rows for each statement execute function announce_tasks();

-- The lease of the one attempt that a terminal carries out: its primary key is what makes "one task at a time" true.
create table task_leases (
  terminal_id uuid primary key,
  task_id uuid not null,
  host_id uuid not null,
  -- To which session of its host the attempt was handed out: it alone may get it once more, when the answer was lost.
  session_id uuid,
  fence smallint not null,
  expires_at timestamptz not null,
  deadline_at timestamptz not null,
  -- What the host has uploaded for the attempt.
  uploaded_bytes bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index task_leases_by_host on task_leases (host_id);

-- Long lists of tasks are counted in segments, so that neither their length nor a page in their middle is found by going
-- through them. A segment is a range of `seq` in the list of a user or of a terminal, from `first_seq` to the next one's;
-- the newest is open and has no counts. They are made where a long list is read (`tasks/segments.ts`), never where tasks are
-- created: a segment has counts only while nothing of it changed since it was counted.

create type task_count as (project_id uuid, type smallint, status smallint, total integer);

-- Made again from `tasks` after a crash or a restoration: nothing of it has to be logged or backed up.
create unlogged table task_segments (
  -- A user or a terminal.
  list_id uuid not null,
  first_seq bigint not null,
  -- How often something in it changed: a count of rows that changed meanwhile is dropped.
  touched bigint not null default 0,
  -- Transactions from this one on know the segment, and say what they change in it. Older ones have to end before it is
  -- counted.
  known_since xid8,
  counts task_count[],
  -- The same by projects, of users alone. Null where a terminal went to another project since.
  project_counts task_count[],
  primary key (list_id, first_seq)
);
create index task_segments_by_seq on task_segments (first_seq);

-- Runs with every statement that inserts, moves or deletes tasks. What is newer than all segments, as nearly everything is
-- that changes, costs one look into an index. The newest segment of a list is not touched: it would be one row for all
-- writers.
--
-- Row by row, in an order: an update of a set whose rows another transaction changes meanwhile could pass over some of them.
create function touch_task_segments() returns trigger language plpgsql as $$
declare
  segment record;
begin
  if (select min(seq) from changed_rows) < (select max(first_seq) from task_segments) then
    for segment in
      select distinct l.list_id, f.first_seq from changed_rows c
      cross join lateral (values (c.user_id), (c.terminal_id)) as l (list_id)
      cross join lateral (
        select first_seq from task_segments where list_id = l.list_id and first_seq <= c.seq order by first_seq desc limit 1
      ) f
      where exists (select from task_segments n where n.list_id = l.list_id and n.first_seq > c.seq)
      order by 1, 2
    loop
      update task_segments set touched = touched + 1, counts = null, project_counts = null
      where list_id = segment.list_id and first_seq = segment.first_seq;
    end loop;
  end if;
  return null;
end $$;

create trigger tasks_inserted_in_segments after insert on tasks
  referencing new table as changed_rows for each statement execute function touch_task_segments();
create trigger tasks_updated_in_segments after update on tasks
  referencing new table as changed_rows for each statement execute function touch_task_segments();
create trigger tasks_deleted_in_segments after delete on tasks
  referencing old table as changed_rows for each statement execute function touch_task_segments();

-- A terminal that goes to another project takes its tasks with it.
create function touch_task_projects() returns trigger language plpgsql as $$
declare
  segment record;
begin
  if exists (select from task_segments) then
    for segment in
      select list_id, first_seq from task_segments
      where list_id in (select n.user_id from new_rows n join old_rows o on o.id = n.id where o.project_id <> n.project_id)
      order by 1, 2
    loop
      update task_segments set touched = touched + 1, project_counts = null
      where list_id = segment.list_id and first_seq = segment.first_seq;
    end loop;
  end if;
  return null;
end $$;

create trigger terminals_moved_between_projects after update on terminals
  referencing old table as old_rows new table as new_rows for each statement execute function touch_task_projects();

-- A task on many terminals that the service carries on by itself: the members are fixed at one moment, their tasks are
-- created in portions, and what came of each is noted here.
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

create table bulk_run_items (
  run_id uuid not null references bulk_runs (id) on delete cascade,
  number integer not null,
  terminal_id uuid not null,
  task_id uuid,
  -- 0 failed, 1 skipped, 2 canceled, 3 in progress, 4 pending, 5 succeeded. What wants somebody comes first.
  state smallint not null check (state between 0 and 5),
  reason text,
  code text,
  primary key (run_id, number)
) with (fillfactor = 80);
create index bulk_run_items_by_state on bulk_run_items (run_id, state, number);

-- Files and screenshots

create table files (
  id uuid primary key,
  user_id uuid not null,
  -- Which task a host uploaded it for: a result names as its screenshot only what that very task uploaded. Null for users'
  -- own uploads.
  task_id uuid,
  name text not null,
  type text not null,
  size integer not null,
  sha256 text not null,
  content bytea not null,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
-- Not to be compressed. In a statement of its own, because PostgreSQL 14 and 15 know it in no other.
alter table files alter column content set storage external;
create index files_by_user on files (user_id, created_at desc, id desc);
create index files_expiring on files (expires_at) where expires_at is not null;

-- What a user's files come to, so that an upload need not sum them. Triggers keep it, whoever inserts or deletes.
create table user_storage (
  user_id uuid primary key,
  used_bytes bigint not null default 0,
  file_count integer not null default 0
) with (fillfactor = 50);

-- For each row: a table of new rows would hold their contents a second time.
create function count_new_file() returns trigger language plpgsql as $$
begin
  insert into user_storage as s (user_id, used_bytes, file_count) values (new.user_id, new.size, 1)
  on conflict (user_id) do update set used_bytes = s.used_bytes + excluded.used_bytes, file_count = s.file_count + 1;
  return null;
end $$;
create trigger files_inserted after insert on files for each row execute function count_new_file();

-- For each statement: one that deletes a user's thousand files writes the user's row once.
create function count_deleted_files() returns trigger language plpgsql as $$
begin
  update user_storage s set used_bytes = s.used_bytes - g.bytes, file_count = s.file_count - g.files
  from (
    select user_id, sum(size) as bytes, count(*) as files from old_rows group by user_id order by user_id
  ) g
  where s.user_id = g.user_id;
  return null;
end $$;
create trigger files_deleted after delete on files
  referencing old table as old_rows for each statement execute function count_deleted_files();

-- The last screenshot of each terminal. The thumbnail is made when it is first asked for; an empty one: the screenshot
-- cannot be read.
create table terminal_screenshots (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  file_id uuid not null,
  taken_at timestamptz not null default now(),
  thumbnail bytea
) with (fillfactor = 70);
-- Screenshots are compressed already.
alter table terminal_screenshots alter column thumbnail set storage external;

-- A new screenshot is shown in lists of terminals; a small copy of it is no news.
create function announce_screenshots() returns trigger language plpgsql as $$
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
create trigger screenshots_inserted after insert on terminal_screenshots
  referencing new table as new_rows for each statement execute function announce_screenshots();
create trigger screenshots_updated after update on terminal_screenshots
  referencing new table as new_rows for each statement execute function announce_screenshots();

-- When the next automatic screenshot of a terminal is due. Beside its row, which these changes must not write anew.
create table screenshot_turns (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  next_at timestamptz not null default now()
) with (fillfactor = 70);
create index screenshot_turns_by_time on screenshot_turns (next_at);

-- Tasks that take automatic screenshots. They and their files are kept shorter than others. No foreign key: tasks have none.
create table automatic_screenshots (
  task_id uuid primary key,
  expires_at timestamptz not null
);
create index automatic_screenshots_by_time on automatic_screenshots (expires_at);

-- The service

-- One row: when a scheduler last ran. A long time between two ticks is a downtime: no server was up, and silence of hosts
-- proves nothing. It is kept as offsets here: a fleet's rows need no update when a server comes back.
create table scheduler (
  id boolean primary key default true check (id),
  -- When a tick began.
  last_run_at timestamptz not null default now(),
  -- When a tick did all its work.
  completed_at timestamptz not null default now(),
  -- When the last downtime ended. The silence of hosts and the age of leases count from here at the earliest.
  downtime_ended_at timestamptz not null default '1970-01-01 00:00:00+00',
  -- The downtimes that no task spent in a queue, those that ended within the last hour before downtime_ended_at.
  queue_downtime interval not null default '0',
  -- By how much the clock was set back, as long as rows that were written on the old time have not followed it.
  set_back interval not null default '0',
  -- The clock without downtimes: now() - time_lost goes on where it stopped.
  time_lost interval not null default '0'
);
insert into scheduler default values;

-- The ids of the keys under which secrets are sealed, never the keys: a server that lacks one of them does not start.
create table secret_keys (
  id text primary key,
  -- sealing: every server seals under it. opening: secrets sealed under it may exist. lost: the operator gave it up.
  role text not null check (role in ('sealing', 'opening', 'lost')),
  created_at timestamptz not null default now()
);
create unique index secret_keys_sealing on secret_keys (role) where role = 'sealing';
