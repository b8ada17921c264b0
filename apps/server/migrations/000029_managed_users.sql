-- What operators set for a user: limits in place of those of the plan (null), and why one is suspended.
alter table users
  add column external_id text,
  add column terminal_limit integer,
  add column storage_mib integer,
  add column region_ids integer[],
  add column suspended_reason text,
  add column suspended_terminals text,
  add column suspended_at timestamptz;
create unique index users_by_external_id on users (external_id) where external_id is not null;
create index users_by_created on users (created_at desc, id desc);

-- Links with which a user sets a password: one of each user, which works once.
create table password_links (
  user_id uuid primary key references users (id),
  id uuid not null unique,
  secret_hash bytea not null,
  expires_at timestamptz not null
);
