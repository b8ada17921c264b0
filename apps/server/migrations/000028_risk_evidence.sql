-- The evidence of a breach, line by line as it is given out: each contains the hash of the one before. A line is never changed.
-- `host_line`: which of its host's lines it is, so that one that is sent again is not written twice; null: the server's own.
create table risk_evidence (
  breach_id uuid not null references risk_breaches on delete cascade,
  n integer not null,
  host_line integer,
  line text not null,
  primary key (breach_id, n)
);

-- How far it goes, and what its host has used of what it may say.
create table risk_evidence_heads (
  breach_id uuid primary key references risk_breaches on delete cascade,
  user_id uuid not null,
  host_id uuid not null,
  written_at timestamptz not null default now(),
  lines integer not null default 0,
  hash text not null default '',
  host_line integer not null default 0,
  bytes integer not null default 0,
  left_out integer not null default 0,
  is_complete boolean not null default false
);
create index risk_evidence_heads_by_host on risk_evidence_heads (host_id, user_id, written_at);
