-- What operators set for regions: the default, and whether they take new terminals.
alter table regions
  add column is_default boolean not null default false,
  add column accepts_terminals boolean not null default true,
  add constraint regions_default_accepts check (accepts_terminals or not is_default);
create unique index regions_default on regions (is_default) where is_default;

-- The scheduled backup: one row, once a server has been given a folder for it.
create table scheduled_backup (
  is_only boolean primary key default true check (is_only),
  plan text not null,
  interval_seconds integer not null,
  due_at timestamptz not null,
  planned_at timestamptz not null default now(),
  lease_id uuid,
  lease_until timestamptz,
  attempts smallint not null default 0,
  last_started_at timestamptz,
  last_succeeded_at timestamptz,
  last_failed_at timestamptz,
  file text,
  size_bytes bigint,
  error text,
  warned_at timestamptz
);

-- How mail went last: one row.
create table mail_state (
  is_only boolean primary key default true check (is_only),
  last_sent_at timestamptz,
  last_failed_at timestamptz,
  error text
);

-- What operators are shown of all users: what failed lately.
create index tasks_failed_lately on tasks (finished_at desc) where status in (5, 7);
