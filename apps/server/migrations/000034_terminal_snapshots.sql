-- What tasks that are done set up on a terminal, as it is now, and copies of that. Neither has secrets or files: files are
-- named by their id and hash.
create table terminal_setups (
  terminal_id uuid primary key references terminals on delete cascade,
  content jsonb not null,
  updated_at timestamptz not null default now()
);

create table terminal_snapshots (
  id uuid primary key,
  user_id uuid not null,
  terminal_id uuid not null references terminals on delete cascade,
  cause text not null check (cause in ('change', 'manual')),
  content jsonb not null,
  created_at timestamptz not null default now()
);
create index terminal_snapshots_by_terminal on terminal_snapshots (terminal_id, created_at desc, id desc);

-- Terminals on which algo trading is turned on again once all of these tasks are done; never where one failed.
create table terminal_restorations (
  terminal_id uuid primary key references terminals on delete cascade,
  task_ids uuid[] not null,
  created_at timestamptz not null default now()
);

create function count_snapshot_storage() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into storage_changes (user_id, kind, bytes)
  select user_id, 'other', sign * sum(row_bytes(content)) from changed_rows group by user_id;
  return null;
end $$;
create trigger terminal_snapshots_inserted_in_storage after insert on terminal_snapshots
  referencing new table as changed_rows for each statement execute function count_snapshot_storage();
create trigger terminal_snapshots_deleted_in_storage after delete on terminal_snapshots
  referencing old table as changed_rows for each statement execute function count_snapshot_storage();
