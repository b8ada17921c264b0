-- Rules that act on terminals by themselves: hosts apply them, also while no server is up. A deleted rule stays as a row,
-- without its scope: its host may still be carrying out a breach.
create table risk_rules (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  -- One of the three: these terminals, those of a project, all.
  terminal_ids uuid[],
  project_id uuid references projects,
  is_all boolean not null default false,
  kind text not null check (kind in ('daily_loss', 'max_drawdown', 'trailing_drawdown', 'equity_floor', 'profit_target',
    'max_volume', 'max_positions')),
  -- Decimal numbers as they were given.
  amount text,
  percent double precision,
  basis text not null,
  trail text not null,
  trail_stops_at text,
  day_starts text not null,
  time_zone text not null,
  warn_percent smallint not null,
  actions text[] not null check (cardinality(actions) > 0),
  enabled boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check ((amount is null) <> (percent is null)),
  check (deleted_at is not null or num_nonnulls(terminal_ids, project_id, nullif(is_all, false)) = 1),
  check (terminal_ids is null or cardinality(terminal_ids) > 0)
);
create index risk_rules_by_user on risk_rules (user_id, id) where deleted_at is null;
create index risk_rules_by_project on risk_rules (project_id) where project_id is not null;
create index risk_rules_deleted on risk_rules (deleted_at) where deleted_at is not null;

-- What rules have measured, as hosts reported it last; another host of the terminal goes on with it.
create table risk_states (
  rule_id uuid not null references risk_rules on delete cascade,
  terminal_id uuid not null references terminals on delete cascade,
  host_id uuid not null,
  used text,
  limit_at text,
  warn_at text,
  blind text,
  as_of timestamptz,
  marks json,
  reported_at timestamptz not null default now(),
  primary key (rule_id, terminal_id)
) with (fillfactor = 70);
create index risk_states_by_terminal on risk_states (terminal_id);

-- Warnings that were taken, so that one that is repeated is none.
create table risk_warnings (
  id uuid primary key,
  terminal_id uuid not null references terminals on delete cascade,
  taken_at timestamptz not null default now()
);
create index risk_warnings_by_terminal on risk_warnings (terminal_id, taken_at);
create index risk_warnings_by_age on risk_warnings (taken_at);

-- The id is the host's, so that a report that is repeated changes nothing.
create table risk_breaches (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  rule_id uuid not null,
  rule_name text not null,
  kind text not null,
  -- What the rule had to do when the breach was first reported.
  rule_actions text[] not null,
  terminal_id uuid not null,
  terminal_name text not null,
  host_id uuid not null,
  at timestamptz not null default now(),
  decided_at timestamptz not null,
  value text not null,
  limit_at text not null,
  first_order_ms integer,
  closed integer not null,
  total integer not null,
  left_open json not null,
  actions json not null,
  locked_at timestamptz,
  ended_at timestamptz
);
create index risk_breaches_by_user on risk_breaches (user_id, at desc, id desc);
create index risk_breaches_by_terminal on risk_breaches (terminal_id, at desc);
create index risk_breaches_by_age on risk_breaches (at);

-- The rules of a host's terminals are others than before: its heartbeats are answered with this number.
create table host_risk_versions (
  host_id uuid primary key references hosts on delete cascade,
  version bigint not null default 1
);

create function note_risk_change(hosts uuid[]) returns void language plpgsql as $$
declare
  changed uuid;
begin
  for changed in select distinct id from unnest(hosts) as id where id is not null order by id loop
    insert into host_risk_versions (host_id) values (changed)
    on conflict (host_id) do update set version = host_risk_versions.version + 1;
    perform pg_notify('berth_risk', changed::text);
  end loop;
end $$;

create function note_risk_rule() returns trigger language plpgsql as $$
begin
  perform note_risk_change(array(select distinct host_id from terminals
    where user_id = coalesce(new.user_id, old.user_id) and deleted_at is null and host_id is not null));
  return null;
end $$;
create trigger note_risk_rule after insert or update or delete on risk_rules
  for each row execute function note_risk_rule();

create function note_risk_terminal() returns trigger language plpgsql as $$
begin
  if exists (select from risk_rules where user_id = new.user_id and deleted_at is null) then
    perform note_risk_change(array[new.host_id, case when tg_op = 'UPDATE' then old.host_id end]);
  end if;
  return null;
end $$;
create trigger note_risk_new_terminal after insert on terminals
  for each row when (new.host_id is not null) execute function note_risk_terminal();
create trigger note_risk_terminal after update of host_id, project_id, login, server_name, deleted_at on terminals
  for each row when ((old.host_id, old.project_id, old.login, old.server_name, old.deleted_at)
    is distinct from (new.host_id, new.project_id, new.login, new.server_name, new.deleted_at))
  execute function note_risk_terminal();
