-- The last picture of each terminal. The thumbnail is made when it is first asked for; an empty one: the picture cannot be read.
create table terminal_pictures (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  file_id uuid not null,
  taken_at timestamptz not null default now(),
  thumbnail bytea
) with (fillfactor = 70);
-- Released before as 6199f487aafb23c63e9bd48feb3f1ec5c384b0d719d74476a9cb051b91c8413e, which PostgreSQL 14 and 15 refuse.
-- Pictures are compressed already. In a statement of its own, because PostgreSQL 14 and 15 know it in no other.
alter table terminal_pictures alter column thumbnail set storage external;
