-- A task that would bring trading back and a suspension never pass each other: whoever inserts such tasks holds the lock
-- of their user shared, and a suspension holds it alone. An insertion does not wait for one that is under way: it is
-- refused, as it would be a moment later. Volatile, so it sees what was committed before it got the lock.
create function refuses_trading(of_user uuid) returns boolean language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('trading of ' || of_user, 0)) then
    return true;
  end if;
  return exists (
    select from users u where u.id = of_user and u.status <> 0 and u.suspended_terminals is distinct from 'keep'
  );
end
$$;

-- What an operator may do; null: that of an owner, where the account is an operator.
alter table users
  add column operator_role text check (operator_role in ('owner', 'operator', 'viewer')),
  add column closed_at timestamptz,
  -- From then on the closing cannot be taken back.
  add column removal_began_at timestamptz,
  add constraint users_role_of_operators check (is_operator or operator_role is null);
update users set operator_role = 'owner' where is_operator;
create index users_by_closed on users (closed_at) where closed_at is not null and deleted_at is null;

-- When the password was given again in a session.
alter table tokens add column confirmed_at timestamptz;

-- Invitations of operators: each is accepted once, with the link that was shown once.
create table invitations (
  id uuid primary key,
  secret_hash bytea not null,
  email text,
  plan smallint not null,
  terminal_limit integer,
  storage_mib integer,
  region_ids integer[],
  created_by uuid not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index invitations_by_created on invitations (created_at desc, id desc);

-- The removal of an account takes out of the audit log what was said of it, and leaves who did what, by their ids, when.
create or replace function keep_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('berth.prunes_audit_log', true) = 'yes' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('berth.forgets_user', true) = 'yes'
    and new.before is null and new.after is null and new.address is null
    and to_jsonb(new) - '{before,after,address}'::text[] = to_jsonb(old) - '{before,after,address}'::text[] then
    return new;
  end if;
  raise exception 'the audit log is append-only';
end $$;
