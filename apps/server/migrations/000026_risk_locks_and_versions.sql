-- How long an account must stay beyond a limit, when a lock ends, and how often the settings of a rule have changed.
alter table risk_rules
  add column confirm_ms integer not null default 0,
  add column lock_until text not null default 'unlocked',
  add column version integer not null default 1;

-- A rule as it was from each version on, and who made it so: what a breach was decided by. No actor: of rules that are
-- older than this table. No rule: the version that deleted it.
create table risk_rule_versions (
  rule_id uuid not null references risk_rules on delete cascade,
  version integer not null,
  at timestamptz not null default now(),
  actor json,
  rule json,
  primary key (rule_id, version)
);
insert into risk_rule_versions (rule_id, version, at, rule)
select id, 1, updated_at, json_build_object('name', name, 'terminal_ids', terminal_ids, 'project_id', project_id, 'all', is_all,
  'kind', kind, 'amount', amount, 'percent', percent, 'percent_of', percent_of,
  'measure', case when kind in ('max_volume', 'max_positions') then null
    else coalesce(measure, case kind when 'profit_target' then 'balance' else 'equity' end) end,
  'basis', basis, 'trail', case kind when 'trailing_drawdown' then trail when 'daily_loss' then day_trail end,
  'trail_stops_at', case when trail_stops_at is not null then json_build_object('amount', trail_stops_at)
    when trail_stops_at_initial_plus is not null then json_build_object('initial_plus', trail_stops_at_initial_plus) end,
  'cash_flows', cash_flows, 'buffer', buffer, 'currency', currency, 'confirm_ms', confirm_ms, 'lock_until', lock_until,
  'day_starts', day_starts, 'time_zone', time_zone, 'warn_percent', warn_percent, 'actions', actions, 'enabled', enabled)
from risk_rules;

-- By which version its host decided a breach, and who took its lock back and why: {"by", "reason", "reset_marks"}.
alter table risk_breaches
  add column rule_version integer,
  add column release json;

-- The breach whose unlock lets a rule count from then on; its host has done so once its marks name it.
alter table risk_states add column reset_breach_id uuid;

-- When a lock ends by itself. Null: when somebody unlocks the terminal.
alter table terminals add column lock_ends_at timestamptz;
create index terminals_by_lock_end on terminals (lock_ends_at) where lock_ends_at is not null;

-- Which settings of rules the agent of the host applies, as it said when it last read rules. Null: it has not said.
alter table host_risk_versions add column settings integer;
