-- What owners write on their terminals: tags to filter by, notes, and the id that a program of theirs uses.
alter table terminals
  add column tags text[] not null default '{}',
  add column notes text,
  add column external_id text;
-- A program that creates a terminal twice is told so.
create unique index terminals_by_external_id on terminals (user_id, external_id)
  where external_id is not null and deleted_at is null;
