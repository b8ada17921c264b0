-- More about deals and accounts. Of deals of before the side says what they were, and the commission contains the fee.
alter table deals
  add column type text,
  add column fee numeric not null default 0,
  add column out_by text;

-- Null: the host does not say. The age is that of the newest price of a held symbol when the state was written.
alter table trading_accounts
  add column connected boolean,
  add column tick_age_ms bigint;

-- The first deposit, where the deals began with the first of the account. Not known of deals of before: rules that watch
-- such an account keep what they count from.
alter table deal_cursors add column first_deposit numeric;

-- What the owner says that an account began with. The login has no leading zeros, the name of the server is in lower case.
create table initial_balances (
  user_id uuid not null references users (id) on delete cascade,
  login text not null,
  server_name text not null,
  amount numeric not null,
  set_at timestamptz not null default now(),
  primary key (user_id, login, server_name)
);

-- Both are numbers that risk rules count from: the hosts learn of them.
create function note_initial_balance() returns trigger language plpgsql as $$
begin
  perform note_risk_change(array(select distinct host_id from terminals
    where user_id = coalesce(new.user_id, old.user_id) and ltrim(login, '0') = coalesce(new.login, old.login)
      and deleted_at is null and host_id is not null
      and exists (select from risk_rules where user_id = coalesce(new.user_id, old.user_id) and deleted_at is null)));
  return null;
end $$;
create trigger note_initial_balance after insert or update or delete on initial_balances
  for each row execute function note_initial_balance();

create function note_first_deposit() returns trigger language plpgsql as $$
begin
  perform note_risk_change(array(select t.host_id from trading_accounts a join terminals t on t.id = a.terminal_id
    where a.id = new.account_id and t.deleted_at is null
      and exists (select from risk_rules where user_id = t.user_id and deleted_at is null)));
  return null;
end $$;
create trigger note_first_deposit after update of first_deposit on deal_cursors
  for each row when (old.first_deposit is distinct from new.first_deposit)
  execute function note_first_deposit();
