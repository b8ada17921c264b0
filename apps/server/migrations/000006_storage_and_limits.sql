-- What a user's files come to, so that an upload need not sum them. Triggers keep it, whoever inserts or deletes.
create table user_storage (
  user_id uuid primary key,
  used_bytes bigint not null default 0,
  file_count integer not null default 0
) with (fillfactor = 50);

-- For each row: a table of new rows would hold their contents a second time.
create function count_new_file() returns trigger language plpgsql as $$
begin
  insert into user_storage as s (user_id, used_bytes, file_count) values (new.user_id, new.size, 1)
  on conflict (user_id) do update set used_bytes = s.used_bytes + excluded.used_bytes, file_count = s.file_count + 1;
  return null;
end $$;

-- For each statement: one that deletes a user's thousand files writes the user's row once.
create function count_deleted_files() returns trigger language plpgsql as $$
begin
  update user_storage s set used_bytes = s.used_bytes - g.bytes, file_count = s.file_count - g.files
  from (
    select user_id, sum(size) as bytes, count(*) as files from old_rows group by user_id order by user_id
  ) g
  where s.user_id = g.user_id;
  return null;
end $$;

create trigger files_inserted after insert on files for each row execute function count_new_file();
create trigger files_deleted after delete on files
  referencing old table as old_rows for each statement execute function count_deleted_files();
insert into user_storage (user_id, used_bytes, file_count)
select user_id, sum(size), count(*) from files group by user_id;

create index files_by_user on files (user_id, created_at desc, id desc);

-- Which open task needs a file. Few tasks name one.
create index tasks_by_file on tasks (lower(payload ->> 'file_id')) where finished_at is null and payload ? 'file_id';

-- What the host has uploaded for the attempt.
alter table task_leases add column uploaded_bytes bigint not null default 0;
