-- Messages to people when something goes wrong. What is wrong stands in other tables; the log of events says when to look,
-- and has what happens at a moment. A message is a row before it is sent.

create table alert_channels (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('email', 'telegram', 'discord', 'slack', 'ntfy')),
  name text not null,
  -- With ******** in the place of each secret.
  settings jsonb not null,
  -- The secrets as a JSON object, sealed (src/secrets/vault.ts); null: there are none.
  secrets text,
  is_confirmed boolean not null default true,
  last_sent_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index alert_channels_by_user on alert_channels (user_id, id);

create table alert_rules (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  "when" text not null,
  for_minutes integer not null,
  remind_every_minutes integer,
  project_id uuid references projects,
  terminal_ids uuid[],
  channel_ids uuid[] not null,
  quiet_hours jsonb,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index alert_rules_by_user on alert_rules (user_id, id);
create index alert_rules_by_project on alert_rules (project_id) where project_id is not null;

create table alerts (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  rule_id uuid references alert_rules on delete set null,
  rule_name text not null,
  "when" text not null,
  -- What it is about, as it is shown: see the contract.
  subject jsonb not null,
  opened_at timestamptz not null default now(),
  -- What comes until then is told by the same message.
  tells_at timestamptz not null,
  -- The last time that somebody was told, for reminders.
  told_at timestamptz not null,
  acknowledged_at timestamptz,
  resolved_at timestamptz
);
create index alerts_by_user on alerts (user_id, id desc);
create index alerts_open on alerts (user_id, id) where resolved_at is null;
create index alerts_by_rule on alerts (rule_id, opened_at desc) where rule_id is not null;
create index alerts_resolved on alerts (resolved_at) where resolved_at is not null;

-- What is wrong, by the rule that looks at it: from the beginning until it has been right for a while.
create table alert_subjects (
  rule_id uuid not null references alert_rules on delete cascade,
  -- A terminal, or a host.
  subject_id uuid not null,
  name text not null,
  host text,
  reason text,
  began_at timestamptz not null,
  -- Since when it is right; null: it is not.
  ended_at timestamptz,
  -- How often it was right for a moment only.
  flaps integer not null default 0,
  -- null: it has not lasted long enough.
  alert_id uuid references alerts on delete cascade,
  primary key (rule_id, subject_id)
);
create index alert_subjects_by_alert on alert_subjects (alert_id) where alert_id is not null;

-- A message has one id, however often it is tried.
create table alert_messages (
  id uuid primary key,
  alert_id uuid not null references alerts on delete cascade,
  channel_id uuid not null references alert_channels on delete cascade,
  user_id uuid not null,
  kind text not null check (kind in ('opened', 'reminder', 'resolved')),
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'skipped')),
  -- Quiet hours or a bound held it: it is sent only if it is still true then.
  is_held boolean not null default false,
  due_at timestamptz not null,
  -- When it was tried last.
  tried_at timestamptz,
  attempts integer not null default 0,
  error text,
  -- The server that sends it.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now()
);
create index alert_messages_by_alert on alert_messages (alert_id, id);
create index alert_messages_by_channel on alert_messages (channel_id, tried_at desc) where status = 'sent';
create index alert_messages_due on alert_messages (due_at) where status = 'pending';

-- How far the log was read for the alerts of a user, and when to look again even if nothing happens.
create table alert_readers (
  user_id uuid primary key references users on delete cascade,
  position bigint not null,
  due_at timestamptz,
  -- The rules that every user begins with were made.
  has_defaults boolean not null default false
);
create index alert_readers_due on alert_readers (due_at) where due_at is not null;

-- Users whose alerts have to be looked at. Rows are only appended, so that no transaction waits for another one here.
create table alert_wakes (
  id bigint generated always as identity primary key,
  user_id uuid not null
);

create function wake_alerts_by_events() returns trigger language plpgsql as $$
begin
  insert into alert_wakes (user_id)
  select distinct user_id from new_rows
  where type in ('terminal.down', 'terminal.up', 'terminal.login_failed', 'terminal.status_changed', 'trading.switched', 'expert.failed',
      'host.lost', 'host.back', 'risk.breached')
    or type = 'task.finished' and data ->> 'status' in ('5', '7');
  return null;
end $$;
create trigger events_wake_alerts after insert on events
  referencing new table as new_rows for each statement execute function wake_alerts_by_events();

-- What alerts read of the log; the rest of it says only that something may be different (src/alerts/conditions.ts).
create index events_for_alerts on events (user_id, id)
  where type in ('trading.switched', 'risk.breached') or type = 'task.finished' and data ->> 'status' in ('5', '7');

-- A user's first terminal: there are rules from then on.
insert into alert_wakes (user_id) select distinct user_id from terminals where deleted_at is null;

-- Experts that a terminal refused to load, as its host saw them last.
create table failed_experts (
  terminal_id uuid not null references terminals on delete cascade,
  chart_id text not null,
  expert text not null,
  symbol text not null,
  since timestamptz not null default now(),
  primary key (terminal_id, chart_id)
);

-- Hosts of whose silence a user was told: he is told when they are back, too (src/lifecycle/news.ts).
create table lost_hosts (
  host_id uuid not null,
  user_id uuid not null,
  primary key (host_id, user_id)
);

create function note_lost_hosts() returns trigger language plpgsql as $$
begin
  insert into lost_hosts (host_id, user_id)
  select distinct (data ->> 'host_id')::uuid, user_id from new_rows where type = 'host.lost' and data ? 'host_id'
  on conflict do nothing;
  return null;
end $$;
create trigger events_note_lost_hosts after insert on events
  referencing new table as new_rows for each statement execute function note_lost_hosts();

-- Builds that changed, until it is said.
create table build_changes (
  id bigint generated always as identity primary key,
  terminal_id uuid not null,
  from_build integer not null,
  to_build integer not null
);
create function note_build_change() returns trigger language plpgsql as $$
begin
  insert into build_changes (terminal_id, from_build, to_build) values (new.terminal_id, old.build, new.build);
  return null;
end $$;
create trigger builds_changed after update on terminal_loads for each row
  when (old.build <> new.build) execute function note_build_change();

-- From where an account is used: who signs in from elsewhere is news.
create table sign_in_places (
  user_id uuid not null references users on delete cascade,
  -- Of the network and the browser.
  fingerprint bytea not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, fingerprint)
);
