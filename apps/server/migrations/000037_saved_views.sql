-- Filters and columns of lists of the dashboard, as their users named them. At most fifty of each user, each of a few kB.
create table saved_views (
  user_id uuid not null references users on delete cascade,
  name text not null,
  page text not null,
  query text not null,
  columns text[],
  updated_at timestamptz not null default now(),
  primary key (user_id, name)
);
