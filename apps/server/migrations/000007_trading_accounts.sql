-- The accounts that terminals are logged in to, or were, as their hosts report them: what a terminal's account is at the moment
-- is the row with its login and trading server, so the numbers of another account are never shown as those of this one. The
-- row is written about once a second: no column that changes is in an index. Amounts are exact.
create table trading_accounts (
  id bigint generated always as identity primary key,
  terminal_id uuid not null references terminals (id) on delete cascade,
  login text not null,
  server_name text not null,
  created_at timestamptz not null default now(),
  -- The last state, null until there is one: from which host, when it was taken, and when that host saw it.
  host_id uuid,
  taken_at timestamptz,
  seen_at timestamptz,
  sequence bigint,
  currency text,
  currency_digits smallint,
  leverage integer,
  margin_mode text,
  balance numeric,
  credit numeric,
  equity numeric,
  profit numeric,
  margin numeric,
  free_margin numeric,
  margin_level numeric,
  trading_allowed boolean,
  is_synchronized boolean,
  positions_total integer,
  orders_total integer,
  -- At most 64 kB together. Not `jsonb`: nothing looks into them, and they are written far more often than read.
  positions json,
  orders json,
  -- The newest deal that the terminal knows.
  last_deal bigint,
  -- The minute under way, which becomes a point of the history when the next one begins; and the day, in UTC.
  minute_at timestamptz,
  minute_min numeric,
  minute_max numeric,
  day_at timestamptz,
  day_first numeric,
  day_max numeric,
  unique (terminal_id, login, server_name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.1);

-- Points of the history: each minute is written into all four when it is over. No foreign keys: rows go by age, and before
-- their account.
create table account_minutes (
  account_id bigint not null,
  at timestamptz not null,
  balance numeric not null,
  equity_min numeric not null,
  equity_max numeric not null,
  equity numeric not null,
  profit numeric not null,
  primary key (account_id, at)
);
create index account_minutes_by_age on account_minutes (at);
create table account_quarters (like account_minutes, primary key (account_id, at)) with (fillfactor = 80);
create index account_quarters_by_age on account_quarters (at);
create table account_hours (like account_minutes, primary key (account_id, at)) with (fillfactor = 80);
create index account_hours_by_age on account_hours (at);
create table account_days (like account_minutes, primary key (account_id, at)) with (fillfactor = 80);
create index account_days_by_age on account_days (at);

-- Deals by the broker's numbers: whatever is reported again, by whichever server it is taken, stands here once.
create table deals (
  account_id bigint not null,
  ticket bigint not null,
  user_id uuid not null,
  at timestamptz not null,
  order_ticket bigint not null,
  position_id bigint not null,
  symbol text not null,
  side text not null,
  entry text not null,
  volume numeric not null,
  price numeric not null,
  commission numeric not null,
  swap numeric not null,
  profit numeric not null,
  magic text not null,
  comment text not null,
  primary key (account_id, ticket)
);
create index deals_by_user on deals (user_id, at, account_id, ticket);
create index deals_by_age on deals using brin (at) with (autosummarize = on);

-- How far the deals of an account go, and what its host may still add: a host that makes them up fills neither the disk nor
-- its owner's log. Apart from the account, so that its states never wait for its deals.
create table deal_cursors (
  account_id bigint primary key references trading_accounts (id) on delete cascade,
  last_ticket bigint,
  complete_until timestamptz,
  kept integer not null default 0,
  -- Deals that are taken at once, and events that are written of them: what was left at `counted_at`. Both grow with time.
  deals_left real not null,
  events_left real not null,
  counted_at timestamptz not null default now(),
  events_skipped integer not null default 0
);
create index deal_cursors_surplus on deal_cursors (account_id) where kept > 500000;
