-- Terminals on their way to another host (deployment/moves.ts). Which of the two hosts has the terminal now is said by
-- terminals.host_id; while it is null, neither has.
create table terminal_moves (
  terminal_id uuid primary key references terminals on delete cascade,
  source_host_id uuid not null references hosts,
  target_host_id uuid not null references hosts,
  source_region integer not null references regions,
  target_region integer not null references regions,
  phase text not null check (phase in ('stopping', 'stopped', 'installing', 'undoing', 'returning')),
  -- Its success shows that nothing of the terminal runs on the host that has it.
  proof_task_id uuid unique,
  -- What makes the terminal anew on the target.
  task_ids uuid[] not null default '{}',
  -- Why it goes back.
  reason text,
  phase_since timestamptz not null default now(),
  created_at timestamptz not null default now()
);

-- Terminals that left a host, which still has their files. Until it has removed them, the terminal does not come back there.
create table left_terminals (
  host_id uuid not null references hosts,
  terminal_id uuid not null,
  primary key (host_id, terminal_id)
);
create index left_terminals_by_terminal on left_terminals (terminal_id);
