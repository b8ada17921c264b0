-- The last picture of each terminal. The thumbnail is made when it is first asked for; an empty one: the picture cannot be read.
create table terminal_pictures (
  terminal_id uuid primary key references terminals (id) on delete cascade,
  file_id uuid not null,
  taken_at timestamptz not null default now(),
  thumbnail bytea storage external
) with (fillfactor = 70);
