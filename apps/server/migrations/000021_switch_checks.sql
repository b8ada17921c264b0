-- Whether hosts could turn algo trading off on their terminals, as they checked it last. Nothing is switched for it.
create table switch_checks (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  host_id uuid not null,
  checked_at timestamptz not null default now(),
  -- How long it took.
  ms integer not null,
  -- What prevents it; null: nothing.
  problem text
);

-- When the host was last asked for such checks, if any were due.
alter table hosts add column checks_asked_at timestamptz;
