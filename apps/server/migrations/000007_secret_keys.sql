-- The ids of the keys under which secrets are sealed, never the keys: a server that lacks one of them does not start.
-- sealing: every server seals under it. opening: secrets sealed under it may exist. lost: the operator gave it up.
create table secret_keys (
  id text primary key,
  role text not null check (role in ('sealing', 'opening', 'lost')),
  created_at timestamptz not null default now()
);
create unique index secret_keys_sealing on secret_keys (role) where role = 'sealing';

insert into secret_keys (id, role)
select distinct split_part(sealed, '.', 2), 'opening'
from (select sealed from terminal_secrets union all select sealed from tasks where sealed is not null) as secrets
where sealed like 'v1.%';
