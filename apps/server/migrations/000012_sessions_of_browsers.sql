-- A browser's session is a login whose secret stands in a cookie. It is over when it was not used for long: what is used moves its
-- expiry. The device is made of known words, never of what a browser says.
alter table tokens
  add column is_session boolean not null default false,
  add column device text;

-- Links that sign a user in once, without a password. A used one is a deleted row.
create table sign_in_links (
  id uuid primary key,
  user_id uuid not null references users (id),
  secret_hash bytea not null,
  expires_at timestamptz not null
);
create index sign_in_links_by_user on sign_in_links (user_id);
