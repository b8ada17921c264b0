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

-- Logins make room for one another where an account has its hundred tokens; a token that its user made never does. Of an
-- API token its user was told, of a login not.
alter table tokens add column is_login boolean not null default false;
update tokens t set is_login = true
where name = 'Login' and abilities = '{*}' and expires_at is null and not exists (
  select from notifications n
  where n.user_id = t.user_id and n.type = 'TokenCreated' and n.data ->> 'id' = t.id::text
);

-- Codes for a new password, by the address that was typed: one that belongs to nobody costs the same work. Several may be
-- valid, so that asking again takes no code away. Instead of password_resets, which older servers still use.
create table reset_codes (
  id uuid primary key,
  address_hash bytea not null,
  code_hash bytea not null,
  tries_left smallint not null,
  expires_at timestamptz not null
);
create index reset_codes_by_address on reset_codes (address_hash);
create index reset_codes_by_expiry on reset_codes (expires_at);
