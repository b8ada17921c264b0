-- Settings of rules. What existing rules have is what they did before.
-- `day_trail` is what a daily loss follows within the day: `trail` has always had a value, whatever the kind.
-- A measure that is null is that of the kind.
alter table risk_rules
  add column percent_of text not null default 'reference',
  add column measure text,
  add column day_trail text,
  add column trail_stops_at_initial_plus text,
  add column cash_flows text not null default 'adjust',
  add column buffer text not null default '0',
  add column currency text;
