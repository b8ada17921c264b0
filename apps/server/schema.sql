-- The schema that the migrations come to. Made by script/update, compared by test/house/schema.test.ts; do not edit.

create extension pg_trgm;

create type task_count as (project_id uuid, type smallint, status smallint, total integer);

create type task_move as (at timestamp with time zone, from_status smallint, to_status smallint, actor text, attempt smallint);

create table account_days (
  account_id bigint not null,
  at timestamp with time zone not null,
  balance numeric not null,
  equity_min numeric not null,
  equity_max numeric not null,
  equity numeric not null,
  profit numeric not null,
  constraint account_days_pkey PRIMARY KEY (account_id, at)
) with (fillfactor=80);
CREATE INDEX account_days_by_age ON public.account_days USING btree (at);

create table account_hours (
  account_id bigint not null,
  at timestamp with time zone not null,
  balance numeric not null,
  equity_min numeric not null,
  equity_max numeric not null,
  equity numeric not null,
  profit numeric not null,
  constraint account_hours_pkey PRIMARY KEY (account_id, at)
) with (fillfactor=80);
CREATE INDEX account_hours_by_age ON public.account_hours USING btree (at);

create table account_minutes (
  account_id bigint not null,
  at timestamp with time zone not null,
  balance numeric not null,
  equity_min numeric not null,
  equity_max numeric not null,
  equity numeric not null,
  profit numeric not null,
  constraint account_minutes_pkey PRIMARY KEY (account_id, at)
);
CREATE INDEX account_minutes_by_age ON public.account_minutes USING btree (at);

create table account_quarters (
  account_id bigint not null,
  at timestamp with time zone not null,
  balance numeric not null,
  equity_min numeric not null,
  equity_max numeric not null,
  equity numeric not null,
  profit numeric not null,
  constraint account_quarters_pkey PRIMARY KEY (account_id, at)
) with (fillfactor=80);
CREATE INDEX account_quarters_by_age ON public.account_quarters USING btree (at);

create table alert_channels (
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  name text not null,
  settings jsonb not null,
  secrets text,
  is_confirmed boolean not null default true,
  last_sent_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  with_screenshot boolean not null default false,
  constraint alert_channels_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'telegram'::text, 'discord'::text, 'slack'::text, 'ntfy'::text]))),
  constraint alert_channels_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint alert_channels_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_channels_by_user ON public.alert_channels USING btree (user_id, id);

create table alert_messages (
  id uuid not null,
  alert_id uuid not null,
  channel_id uuid not null,
  user_id uuid not null,
  kind text not null,
  status text not null default 'pending'::text,
  is_held boolean not null default false,
  due_at timestamp with time zone not null,
  tried_at timestamp with time zone,
  attempts integer not null default 0,
  error text,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  screenshot_id uuid,
  constraint alert_messages_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'reminder'::text, 'resolved'::text]))),
  constraint alert_messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'skipped'::text]))),
  constraint alert_messages_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id) ON DELETE CASCADE,
  constraint alert_messages_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES alert_channels(id) ON DELETE CASCADE,
  constraint alert_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_messages_by_alert ON public.alert_messages USING btree (alert_id, id);
CREATE INDEX alert_messages_by_channel ON public.alert_messages USING btree (channel_id, tried_at DESC) WHERE (status = 'sent'::text);
CREATE INDEX alert_messages_due ON public.alert_messages USING btree (due_at) WHERE (status = 'pending'::text);
CREATE INDEX alert_messages_pending ON public.alert_messages USING btree (channel_id, due_at, id) WHERE (status = 'pending'::text);
CREATE TRIGGER alert_messages_deleted_in_storage AFTER DELETE ON public.alert_messages REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER alert_messages_inserted_in_storage AFTER INSERT ON public.alert_messages REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

create table alert_readers (
  user_id uuid not null,
  "position" bigint not null,
  due_at timestamp with time zone,
  has_defaults boolean not null default false,
  constraint alert_readers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint alert_readers_pkey PRIMARY KEY (user_id)
);
CREATE INDEX alert_readers_due ON public.alert_readers USING btree (due_at) WHERE (due_at IS NOT NULL);

create table alert_rules (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  "when" text not null,
  for_minutes integer not null,
  remind_every_minutes integer,
  project_id uuid,
  terminal_ids uuid[],
  channel_ids uuid[] not null,
  quiet_hours jsonb,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint alert_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint alert_rules_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint alert_rules_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_rules_by_project ON public.alert_rules USING btree (project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX alert_rules_by_user ON public.alert_rules USING btree (user_id, id);

create table alert_subjects (
  rule_id uuid not null,
  subject_id uuid not null,
  name text not null,
  host text,
  reason text,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  flaps integer not null default 0,
  alert_id uuid,
  constraint alert_subjects_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id) ON DELETE CASCADE,
  constraint alert_subjects_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES alert_rules(id) ON DELETE CASCADE,
  constraint alert_subjects_pkey PRIMARY KEY (rule_id, subject_id)
);
CREATE INDEX alert_subjects_by_alert ON public.alert_subjects USING btree (alert_id) WHERE (alert_id IS NOT NULL);

create table alert_wakes (
  id bigint not null generated always as identity,
  user_id uuid not null,
  constraint alert_wakes_pkey PRIMARY KEY (id)
);

create table alerts (
  id uuid not null,
  user_id uuid not null,
  rule_id uuid,
  rule_name text not null,
  "when" text not null,
  subject jsonb not null,
  opened_at timestamp with time zone not null default now(),
  tells_at timestamp with time zone not null,
  told_at timestamp with time zone not null,
  acknowledged_at timestamp with time zone,
  resolved_at timestamp with time zone,
  constraint alerts_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES alert_rules(id) ON DELETE SET NULL,
  constraint alerts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint alerts_pkey PRIMARY KEY (id)
);
CREATE INDEX alerts_by_rule ON public.alerts USING btree (rule_id, opened_at DESC) WHERE (rule_id IS NOT NULL);
CREATE INDEX alerts_by_user ON public.alerts USING btree (user_id, id DESC);
CREATE INDEX alerts_open ON public.alerts USING btree (user_id, id) WHERE (resolved_at IS NULL);
CREATE INDEX alerts_resolved ON public.alerts USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);
CREATE TRIGGER alerts_deleted_in_storage AFTER DELETE ON public.alerts REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER alerts_inserted_in_storage AFTER INSERT ON public.alerts REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

create table audit_log (
  id uuid not null,
  at timestamp with time zone not null,
  user_id uuid,
  actor_kind text not null,
  actor_user_id uuid,
  actor_token_id bigint,
  actor_session_id bigint,
  address text,
  action text not null,
  target_type text not null,
  target_id text,
  before jsonb,
  after jsonb,
  result text not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_by_action_and_kind ON public.audit_log USING btree (action, actor_kind, id);
CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (actor_user_id, id);
CREATE INDEX audit_log_by_target ON public.audit_log USING btree (target_id, id);
CREATE INDEX audit_log_by_user ON public.audit_log USING btree (user_id, id);
CREATE INDEX audit_log_refused ON public.audit_log USING btree (user_id, id) WHERE (result = 'refused'::text);
CREATE TRIGGER audit_log_kept BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();

create table automatic_screenshots (
  task_id uuid not null,
  expires_at timestamp with time zone not null,
  constraint automatic_screenshots_pkey PRIMARY KEY (task_id)
);
CREATE INDEX automatic_screenshots_by_time ON public.automatic_screenshots USING btree (expires_at);

create table build_changes (
  id bigint not null generated always as identity,
  terminal_id uuid not null,
  from_build integer not null,
  to_build integer not null,
  constraint build_changes_pkey PRIMARY KEY (id)
);

create table bulk_run_items (
  run_id uuid not null,
  number integer not null,
  terminal_id uuid not null,
  task_id uuid,
  state smallint not null,
  reason text,
  code text,
  constraint bulk_run_items_state_check CHECK (((state >= 0) AND (state <= 5))),
  constraint bulk_run_items_run_id_fkey FOREIGN KEY (run_id) REFERENCES bulk_runs(id) ON DELETE CASCADE,
  constraint bulk_run_items_pkey PRIMARY KEY (run_id, number)
) with (fillfactor=80);
CREATE INDEX bulk_run_items_by_state ON public.bulk_run_items USING btree (run_id, state, number);

create table bulk_runs (
  id uuid not null,
  user_id uuid not null,
  type smallint not null,
  payload jsonb not null,
  sealed text,
  planned_at timestamp with time zone,
  stagger_seconds integer not null,
  total integer not null,
  counts integer[],
  created_at timestamp with time zone not null default now(),
  canceled_at timestamp with time zone,
  finished_at timestamp with time zone,
  served_at timestamp with time zone not null default now(),
  constraint bulk_runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint bulk_runs_pkey PRIMARY KEY (id)
);
CREATE INDEX bulk_runs_by_user ON public.bulk_runs USING btree (user_id, created_at DESC, id DESC);
CREATE INDEX bulk_runs_finished ON public.bulk_runs USING btree (finished_at);
CREATE INDEX bulk_runs_open ON public.bulk_runs USING btree (served_at) WHERE (finished_at IS NULL);
CREATE TRIGGER bulk_runs_changed_in_storage AFTER UPDATE OF sealed ON public.bulk_runs FOR EACH ROW WHEN ((old.sealed IS DISTINCT FROM new.sealed)) EXECUTE FUNCTION count_run_change();
CREATE TRIGGER bulk_runs_deleted AFTER DELETE ON public.bulk_runs REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_bulk_runs();
CREATE TRIGGER bulk_runs_deleted_in_storage AFTER DELETE ON public.bulk_runs REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER bulk_runs_inserted AFTER INSERT ON public.bulk_runs REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_bulk_runs();
CREATE TRIGGER bulk_runs_inserted_in_storage AFTER INSERT ON public.bulk_runs REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER bulk_runs_updated AFTER UPDATE ON public.bulk_runs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_bulk_run_changes();

create table deal_cursors (
  account_id bigint not null,
  last_ticket bigint,
  complete_until timestamp with time zone,
  kept integer not null default 0,
  deals_left real not null,
  events_left real not null,
  counted_at timestamp with time zone not null default now(),
  events_skipped integer not null default 0,
  first_deposit numeric,
  constraint deal_cursors_account_id_fkey FOREIGN KEY (account_id) REFERENCES trading_accounts(id) ON DELETE CASCADE,
  constraint deal_cursors_pkey PRIMARY KEY (account_id)
);
CREATE INDEX deal_cursors_surplus ON public.deal_cursors USING btree (account_id) WHERE (kept > 500000);
CREATE TRIGGER note_first_deposit AFTER UPDATE OF first_deposit ON public.deal_cursors FOR EACH ROW WHEN ((old.first_deposit IS DISTINCT FROM new.first_deposit)) EXECUTE FUNCTION note_first_deposit();

create table deals (
  account_id bigint not null,
  ticket bigint not null,
  user_id uuid not null,
  at timestamp with time zone not null,
  order_ticket bigint not null,
  position_id bigint not null,
  symbol text not null,
  side text not null,
  entry text not null,
  volume numeric not null,
  price numeric not null,
  commission numeric not null,
  swap numeric not null,
  profit numeric not null,
  magic text not null,
  comment text not null,
  type text,
  fee numeric not null default 0,
  out_by text,
  constraint deals_pkey PRIMARY KEY (account_id, ticket)
);
CREATE INDEX deals_by_age ON public.deals USING brin (at) WITH (autosummarize='on');
CREATE INDEX deals_by_user ON public.deals USING btree (user_id, at, account_id, ticket);

create table event_allowances (
  terminal_id uuid not null,
  remaining real not null,
  counted_at timestamp with time zone not null default now(),
  skipped integer not null default 0,
  skipped_from smallint,
  skipped_switch boolean not null default false,
  constraint event_allowances_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint event_allowances_pkey PRIMARY KEY (terminal_id)
);
CREATE INDEX event_allowances_with_skipped ON public.event_allowances USING btree (terminal_id) WHERE (skipped > 0);

create table event_log (
  id boolean not null default true,
  forgotten_to bigint not null default 0,
  constraint event_log_id_check CHECK (id),
  constraint event_log_pkey PRIMARY KEY (id)
);

create table event_watchers (
  user_id uuid not null,
  server_id uuid not null,
  seen_at timestamp with time zone not null default now(),
  constraint event_watchers_pkey PRIMARY KEY (user_id, server_id)
);

create table events (
  id bigint not null generated always as identity,
  user_id uuid not null,
  type text not null,
  occurred_at timestamp with time zone not null default now(),
  terminal_id uuid,
  project_id uuid,
  data jsonb not null,
  constraint events_pkey PRIMARY KEY (user_id, id)
);
CREATE INDEX events_by_time ON public.events USING brin (occurred_at) WITH (autosummarize='on');
CREATE INDEX events_for_alerts ON public.events USING btree (user_id, id) WHERE ((type = ANY (ARRAY['trading.switched'::text, 'risk.breached'::text])) OR ((type = 'task.finished'::text) AND ((data ->> 'status'::text) = ANY (ARRAY['5'::text, '7'::text]))));
CREATE TRIGGER events_deleted_in_storage AFTER DELETE ON public.events REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER events_inserted AFTER INSERT ON public.events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_events();
CREATE TRIGGER events_inserted_in_storage AFTER INSERT ON public.events REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER events_note_lost_hosts AFTER INSERT ON public.events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_lost_hosts();
CREATE TRIGGER events_wake_alerts AFTER INSERT ON public.events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_by_events();

create table failed_experts (
  terminal_id uuid not null,
  chart_id text not null,
  expert text not null,
  symbol text not null,
  since timestamp with time zone not null default now(),
  constraint failed_experts_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint failed_experts_pkey PRIMARY KEY (terminal_id, chart_id)
);

create table files (
  id uuid not null,
  user_id uuid not null,
  task_id uuid,
  name text not null,
  type text not null,
  size integer not null,
  sha256 text not null,
  content bytea not null storage external,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint files_pkey PRIMARY KEY (id)
);
CREATE INDEX files_by_user ON public.files USING btree (user_id, created_at DESC, id DESC);
CREATE INDEX files_expiring ON public.files USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE TRIGGER files_deleted AFTER DELETE ON public.files REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_files();
CREATE TRIGGER files_inserted AFTER INSERT ON public.files FOR EACH ROW EXECUTE FUNCTION count_new_file();

create table host_facts (
  host_id uuid not null,
  facts jsonb,
  reported_at timestamp with time zone not null default now(),
  constraint host_facts_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id),
  constraint host_facts_pkey PRIMARY KEY (host_id)
);

create table host_minutes (
  host_id uuid not null,
  hour_at timestamp with time zone not null,
  load_percent integer[] not null,
  memory_mb integer[] not null,
  disk_mb integer[] not null,
  constraint host_minutes_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE CASCADE,
  constraint host_minutes_pkey PRIMARY KEY (host_id, hour_at)
) with (fillfactor=70);

create table host_quarters (
  host_id uuid not null,
  day_at timestamp with time zone not null,
  load_percent integer[] not null,
  memory_mb integer[] not null,
  disk_mb integer[] not null,
  constraint host_quarters_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE CASCADE,
  constraint host_quarters_pkey PRIMARY KEY (host_id, day_at)
) with (fillfactor=70);

create table host_risk_versions (
  host_id uuid not null,
  version bigint not null default 1,
  settings integer,
  constraint host_risk_versions_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE CASCADE,
  constraint host_risk_versions_pkey PRIMARY KEY (host_id)
);

create table hosts (
  id uuid not null,
  region_id integer not null,
  name text not null,
  platforms text[] not null,
  capacity integer,
  memory_capacity integer,
  places integer generated always as (LEAST(capacity, memory_capacity)) stored,
  terminal_count integer not null default 0,
  status smallint not null default 0,
  credential_hash bytea,
  session_id uuid,
  agent_version text,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  checks_asked_at timestamp with time zone,
  cordoned_at timestamp with time zone,
  drain_started_at timestamp with time zone,
  drain_deadline_at timestamp with time zone,
  drain_terminals text,
  constraint hosts_capacity_check CHECK ((capacity > 0)),
  constraint hosts_drain_terminals_check CHECK ((drain_terminals = ANY (ARRAY['stop'::text, 'stay'::text]))),
  constraint hosts_memory_capacity_check CHECK ((memory_capacity >= 0)),
  constraint hosts_status_check CHECK ((status = ANY (ARRAY[0, 1, 2, 3]))),
  constraint hosts_terminal_count_check CHECK ((terminal_count >= 0)),
  constraint hosts_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id),
  constraint hosts_pkey PRIMARY KEY (id)
) with (fillfactor=70);
CREATE INDEX hosts_draining ON public.hosts USING btree (id) WHERE (drain_started_at IS NOT NULL);

create table idempotency_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  response jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE TRIGGER idempotency_keys_changed_in_storage AFTER UPDATE OF response ON public.idempotency_keys FOR EACH ROW WHEN ((row_bytes(old.response) <> row_bytes(new.response))) EXECUTE FUNCTION count_key_change();
CREATE TRIGGER idempotency_keys_deleted_in_storage AFTER DELETE ON public.idempotency_keys REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER idempotency_keys_inserted_in_storage AFTER INSERT ON public.idempotency_keys REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

create table initial_balances (
  user_id uuid not null,
  login text not null,
  server_name text not null,
  amount numeric not null,
  set_at timestamp with time zone not null default now(),
  constraint initial_balances_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint initial_balances_pkey PRIMARY KEY (user_id, login, server_name)
);
CREATE TRIGGER note_initial_balance AFTER INSERT OR DELETE OR UPDATE ON public.initial_balances FOR EACH ROW EXECUTE FUNCTION note_initial_balance();

create table invitations (
  id uuid not null,
  secret_hash bytea not null,
  email text,
  plan smallint not null,
  terminal_limit integer,
  storage_mib integer,
  region_ids integer[],
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint invitations_pkey PRIMARY KEY (id)
);
CREATE INDEX invitations_by_created ON public.invitations USING btree (created_at DESC, id DESC);

create table join_tokens (
  id uuid not null,
  secret_hash bytea not null,
  region_id integer not null,
  name text not null,
  capacity integer not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  host_id uuid,
  constraint join_tokens_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE SET NULL,
  constraint join_tokens_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id),
  constraint join_tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX join_tokens_by_created ON public.join_tokens USING btree (created_at DESC, id DESC);

create table left_terminals (
  host_id uuid not null,
  terminal_id uuid not null,
  constraint left_terminals_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id),
  constraint left_terminals_pkey PRIMARY KEY (host_id, terminal_id)
);
CREATE INDEX left_terminals_by_terminal ON public.left_terminals USING btree (terminal_id);

create table lost_hosts (
  host_id uuid not null,
  user_id uuid not null,
  constraint lost_hosts_pkey PRIMARY KEY (host_id, user_id)
);

create table mail_state (
  is_only boolean not null default true,
  last_sent_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  error text,
  constraint mail_state_is_only_check CHECK (is_only),
  constraint mail_state_pkey PRIMARY KEY (is_only)
);

create table migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table notifications (
  id uuid not null,
  user_id uuid not null,
  type text not null,
  data jsonb not null default '{}'::jsonb,
  read_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notifications_pkey PRIMARY KEY (id)
);
CREATE INDEX notifications_by_subject ON public.notifications USING btree (user_id, ((data ->> 'id'::text)), type, created_at DESC);
CREATE INDEX notifications_by_user ON public.notifications USING btree (user_id, created_at DESC, id DESC);
CREATE INDEX notifications_unread ON public.notifications USING btree (user_id, created_at DESC, id DESC) WHERE (read_at IS NULL);
CREATE TRIGGER notifications_deleted_in_storage AFTER DELETE ON public.notifications REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER notifications_inserted AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_notifications();
CREATE TRIGGER notifications_inserted_in_storage AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

create table password_links (
  user_id uuid not null,
  id uuid not null,
  secret_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint password_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint password_links_pkey PRIMARY KEY (user_id),
  constraint password_links_id_key UNIQUE (id)
);

create table placement_turns (
  region_id integer not null,
  platform text not null,
  user_id uuid not null,
  constraint placement_turns_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id),
  constraint placement_turns_pkey PRIMARY KEY (region_id, platform)
);

create table projects (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  description text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint projects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint projects_pkey PRIMARY KEY (id)
);
CREATE INDEX projects_by_user ON public.projects USING btree (user_id, created_at DESC, id DESC);

create table rate_uses (
  key bytea not null,
  uses integer not null,
  ends_at timestamp with time zone not null,
  constraint rate_uses_pkey PRIMARY KEY (key)
) with (fillfactor=50);

create table regions (
  id integer not null,
  label text not null,
  country text not null,
  is_default boolean not null default false,
  accepts_terminals boolean not null default true,
  constraint regions_country_check CHECK ((country ~ '^[a-z]{2}$'::text)),
  constraint regions_default_accepts CHECK ((accepts_terminals OR (NOT is_default))),
  constraint regions_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX regions_default ON public.regions USING btree (is_default) WHERE is_default;

create table reset_codes (
  id uuid not null,
  address_hash bytea not null,
  code_hash bytea not null,
  tries_left smallint not null,
  expires_at timestamp with time zone not null,
  constraint reset_codes_pkey PRIMARY KEY (id)
);
CREATE INDEX reset_codes_by_address ON public.reset_codes USING btree (address_hash);
CREATE INDEX reset_codes_by_expiry ON public.reset_codes USING btree (expires_at);

create table reset_mails (
  address_hash bytea not null,
  mails smallint not null,
  ends_at timestamp with time zone not null,
  constraint reset_mails_pkey PRIMARY KEY (address_hash)
);
CREATE INDEX reset_mails_by_end ON public.reset_mails USING btree (ends_at);

create table reset_tries (
  address_hash bytea not null,
  caller_hash bytea not null,
  tries smallint not null,
  ends_at timestamp with time zone not null,
  constraint reset_tries_pkey PRIMARY KEY (address_hash, caller_hash)
);
CREATE INDEX reset_tries_by_end ON public.reset_tries USING btree (ends_at);

create table risk_breaches (
  id uuid not null,
  user_id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  kind text not null,
  rule_actions text[] not null,
  terminal_id uuid not null,
  terminal_name text not null,
  host_id uuid not null,
  at timestamp with time zone not null default now(),
  decided_at timestamp with time zone not null,
  value text not null,
  limit_at text not null,
  first_order_ms integer,
  closed integer not null,
  total integer not null,
  left_open json not null,
  actions json not null,
  locked_at timestamp with time zone,
  ended_at timestamp with time zone,
  phase text,
  experts json,
  released_at timestamp with time zone,
  rule_version integer,
  release json,
  constraint risk_breaches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint risk_breaches_pkey PRIMARY KEY (id)
);
CREATE INDEX risk_breaches_by_age ON public.risk_breaches USING btree (at);
CREATE INDEX risk_breaches_by_terminal ON public.risk_breaches USING btree (terminal_id, at DESC);
CREATE INDEX risk_breaches_by_user ON public.risk_breaches USING btree (user_id, at DESC, id DESC);

create table risk_evidence (
  breach_id uuid not null,
  n integer not null,
  host_line integer,
  line text not null,
  constraint risk_evidence_breach_id_fkey FOREIGN KEY (breach_id) REFERENCES risk_breaches(id) ON DELETE CASCADE,
  constraint risk_evidence_pkey PRIMARY KEY (breach_id, n)
);

create table risk_evidence_heads (
  breach_id uuid not null,
  user_id uuid not null,
  host_id uuid not null,
  written_at timestamp with time zone not null default now(),
  lines integer not null default 0,
  hash text not null default ''::text,
  host_line integer not null default 0,
  bytes integer not null default 0,
  left_out integer not null default 0,
  is_complete boolean not null default false,
  constraint risk_evidence_heads_breach_id_fkey FOREIGN KEY (breach_id) REFERENCES risk_breaches(id) ON DELETE CASCADE,
  constraint risk_evidence_heads_pkey PRIMARY KEY (breach_id)
);
CREATE INDEX risk_evidence_heads_by_host ON public.risk_evidence_heads USING btree (host_id, user_id, written_at);

create table risk_rule_versions (
  rule_id uuid not null,
  version integer not null,
  at timestamp with time zone not null default now(),
  actor json,
  rule json,
  constraint risk_rule_versions_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES risk_rules(id) ON DELETE CASCADE,
  constraint risk_rule_versions_pkey PRIMARY KEY (rule_id, version)
);

create table risk_rules (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  terminal_ids uuid[],
  project_id uuid,
  is_all boolean not null default false,
  kind text not null,
  amount text,
  percent double precision,
  basis text not null,
  trail text not null,
  trail_stops_at text,
  day_starts text not null,
  time_zone text not null,
  warn_percent smallint not null,
  actions text[] not null,
  enabled boolean not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  percent_of text not null default 'reference'::text,
  measure text,
  day_trail text,
  trail_stops_at_initial_plus text,
  cash_flows text not null default 'adjust'::text,
  buffer text not null default '0'::text,
  currency text,
  confirm_ms integer not null default 0,
  lock_until text not null default 'unlocked'::text,
  version integer not null default 1,
  constraint risk_rules_actions_check CHECK ((cardinality(actions) > 0)),
  constraint risk_rules_check CHECK (((amount IS NULL) <> (percent IS NULL))),
  constraint risk_rules_check1 CHECK (((deleted_at IS NOT NULL) OR (num_nonnulls(terminal_ids, project_id, NULLIF(is_all, false)) = 1))),
  constraint risk_rules_kind_check CHECK ((kind = ANY (ARRAY['daily_loss'::text, 'max_drawdown'::text, 'trailing_drawdown'::text, 'equity_floor'::text, 'profit_target'::text, 'max_volume'::text, 'max_positions'::text]))),
  constraint risk_rules_terminal_ids_check CHECK (((terminal_ids IS NULL) OR (cardinality(terminal_ids) > 0))),
  constraint risk_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint risk_rules_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint risk_rules_pkey PRIMARY KEY (id)
);
CREATE INDEX risk_rules_by_project ON public.risk_rules USING btree (project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX risk_rules_by_user ON public.risk_rules USING btree (user_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX risk_rules_deleted ON public.risk_rules USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE TRIGGER note_risk_rule AFTER INSERT OR DELETE OR UPDATE ON public.risk_rules FOR EACH ROW EXECUTE FUNCTION note_risk_rule();

create table risk_states (
  rule_id uuid not null,
  terminal_id uuid not null,
  host_id uuid not null,
  used text,
  limit_at text,
  warn_at text,
  blind text,
  as_of timestamp with time zone,
  marks json,
  reported_at timestamp with time zone not null default now(),
  can_act boolean,
  trade_denied_by text[],
  reset_breach_id uuid,
  constraint risk_states_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES risk_rules(id) ON DELETE CASCADE,
  constraint risk_states_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint risk_states_pkey PRIMARY KEY (rule_id, terminal_id)
) with (fillfactor=70);
CREATE INDEX risk_states_by_terminal ON public.risk_states USING btree (terminal_id);

create table risk_warnings (
  id uuid not null,
  terminal_id uuid not null,
  taken_at timestamp with time zone not null default now(),
  constraint risk_warnings_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint risk_warnings_pkey PRIMARY KEY (id)
);
CREATE INDEX risk_warnings_by_age ON public.risk_warnings USING btree (taken_at);
CREATE INDEX risk_warnings_by_terminal ON public.risk_warnings USING btree (terminal_id, taken_at);

create table saved_views (
  user_id uuid not null,
  name text not null,
  page text not null,
  query text not null,
  columns text[],
  updated_at timestamp with time zone not null default now(),
  constraint saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint saved_views_pkey PRIMARY KEY (user_id, name)
);

create table scheduled_backup (
  is_only boolean not null default true,
  plan text not null,
  interval_seconds integer not null,
  due_at timestamp with time zone not null,
  planned_at timestamp with time zone not null default now(),
  lease_id uuid,
  lease_until timestamp with time zone,
  attempts smallint not null default 0,
  last_started_at timestamp with time zone,
  last_succeeded_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  file text,
  size_bytes bigint,
  error text,
  warned_at timestamp with time zone,
  constraint scheduled_backup_is_only_check CHECK (is_only),
  constraint scheduled_backup_pkey PRIMARY KEY (is_only)
);

create table scheduler (
  id boolean not null default true,
  last_run_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone not null default now(),
  downtime_ended_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  queue_downtime interval not null default '00:00:00'::interval,
  set_back interval not null default '00:00:00'::interval,
  time_lost interval not null default '00:00:00'::interval,
  constraint scheduler_id_check CHECK (id),
  constraint scheduler_pkey PRIMARY KEY (id)
);

create table schedules (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  terminal_ids uuid[],
  filter jsonb,
  type smallint not null,
  payload jsonb not null,
  stagger_seconds integer not null,
  cron text not null,
  time_zone text not null,
  missed text not null,
  enabled boolean not null,
  next_at timestamp with time zone,
  waits_since timestamp with time zone,
  last_run jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  planned_at timestamp with time zone not null default now(),
  constraint schedules_check CHECK (((terminal_ids IS NULL) <> (filter IS NULL))),
  constraint schedules_missed_check CHECK ((missed = ANY (ARRAY['run_once'::text, 'skip'::text]))),
  constraint schedules_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint schedules_pkey PRIMARY KEY (id)
);
CREATE INDEX schedules_by_plan ON public.schedules USING btree (planned_at) WHERE (next_at IS NOT NULL);
CREATE INDEX schedules_by_user ON public.schedules USING btree (user_id, id);
CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (next_at IS NOT NULL);

create table screenshot_turns (
  terminal_id uuid not null,
  next_at timestamp with time zone not null default now(),
  constraint screenshot_turns_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint screenshot_turns_pkey PRIMARY KEY (terminal_id)
) with (fillfactor=70);
CREATE INDEX screenshot_turns_by_time ON public.screenshot_turns USING btree (next_at);

create table secret_keys (
  id text not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint secret_keys_role_check CHECK ((role = ANY (ARRAY['sealing'::text, 'opening'::text, 'lost'::text]))),
  constraint secret_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX secret_keys_sealing ON public.secret_keys USING btree (role) WHERE (role = 'sealing'::text);

create table sign_in_links (
  id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sign_in_links_pkey PRIMARY KEY (id)
);
CREATE INDEX sign_in_links_by_user ON public.sign_in_links USING btree (user_id);

create table sign_in_places (
  user_id uuid not null,
  fingerprint bytea not null,
  seen_at timestamp with time zone not null default now(),
  constraint sign_in_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sign_in_places_pkey PRIMARY KEY (user_id, fingerprint)
);

create table storage_changes (
  id bigint not null generated always as identity,
  user_id uuid not null,
  kind text not null,
  bytes bigint not null,
  constraint storage_changes_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX storage_changes_by_user ON public.storage_changes USING btree (user_id);

create table storage_usage (
  user_id uuid not null,
  kind text not null,
  bytes bigint not null,
  constraint storage_usage_kind_check CHECK ((kind = ANY (ARRAY['tasks'::text, 'runs'::text, 'webhooks'::text, 'events'::text, 'other'::text]))),
  constraint storage_usage_pkey PRIMARY KEY (user_id, kind)
) with (fillfactor=50);

create table switch_checks (
  terminal_id uuid not null,
  host_id uuid not null,
  checked_at timestamp with time zone not null default now(),
  ms integer not null,
  problem text,
  constraint switch_checks_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint switch_checks_pkey PRIMARY KEY (terminal_id)
);

create table task_leases (
  terminal_id uuid not null,
  task_id uuid not null,
  host_id uuid not null,
  session_id uuid,
  fence smallint not null,
  expires_at timestamp with time zone not null,
  deadline_at timestamp with time zone not null,
  uploaded_bytes bigint not null default 0,
  constraint task_leases_pkey PRIMARY KEY (terminal_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
CREATE INDEX task_leases_by_host ON public.task_leases USING btree (host_id);

create table task_segments (
  list_id uuid not null,
  first_seq bigint not null,
  touched bigint not null default 0,
  known_since xid8,
  counts task_count[],
  project_counts task_count[],
  constraint task_segments_pkey PRIMARY KEY (list_id, first_seq)
);
CREATE INDEX task_segments_by_seq ON public.task_segments USING btree (first_seq);

create table tasks (
  id uuid not null,
  seq bigint not null generated always as identity,
  user_id uuid not null,
  host_id uuid,
  terminal_id uuid not null,
  chart_id text,
  type smallint not null,
  payload jsonb not null default '{}'::jsonb,
  sealed text,
  result jsonb,
  status smallint not null default 0,
  attempts smallint not null default 0,
  actor text not null default 'user'::text,
  history task_move[] not null default '{}'::task_move[],
  planned_at timestamp with time zone,
  available_at timestamp with time zone,
  state_since timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  lane smallint not null default 1,
  waits_until timestamp with time zone,
  constraint tasks_check CHECK (((finished_at IS NULL) = (status < 4))),
  constraint tasks_lane_check CHECK ((lane = ANY (ARRAY[0, 1]))),
  constraint tasks_status_check CHECK (((status >= 0) AND (status <= 7))),
  constraint tasks_type_check CHECK ((((type >= 0) AND (type <= 14)) OR ((type >= 100) AND (type <= 103)))),
  constraint tasks_pkey PRIMARY KEY (id)
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX tasks_by_file ON public.tasks USING btree (lower((payload ->> 'file_id'::text))) WHERE ((finished_at IS NULL) AND (payload ? 'file_id'::text));
CREATE INDEX tasks_by_terminal ON public.tasks USING btree (terminal_id, seq DESC);
CREATE INDEX tasks_by_user ON public.tasks USING btree (user_id, type, seq DESC) INCLUDE (id);
CREATE INDEX tasks_failed_lately ON public.tasks USING btree (finished_at DESC) WHERE (status = ANY (ARRAY[5, 7]));
CREATE INDEX tasks_open ON public.tasks USING btree (host_id, terminal_id, waits_until NULLS FIRST, lane, seq) WHERE (finished_at IS NULL);
CREATE INDEX tasks_open_stops ON public.tasks USING btree (terminal_id) WHERE ((finished_at IS NULL) AND (lane = 0) AND (waits_until IS NULL));
CREATE INDEX tasks_turning_on ON public.tasks USING btree (user_id) WHERE ((finished_at IS NULL) AND (type = 12) AND ((payload ->> 'allow_algo_trading'::text) = '1'::text));
CREATE INDEX tasks_unsuccessful ON public.tasks USING btree (user_id, seq DESC) WHERE ((finished_at IS NOT NULL) AND (COALESCE((result ->> 'status'::text), ''::text) <> '0'::text));
CREATE INDEX tasks_waiting ON public.tasks USING btree (waits_until) WHERE ((finished_at IS NULL) AND (waits_until IS NOT NULL));
CREATE TRIGGER tasks_changed_in_storage AFTER UPDATE OF sealed, result ON public.tasks FOR EACH ROW WHEN ((((old.sealed IS DISTINCT FROM new.sealed) OR (old.result IS DISTINCT FROM new.result)) AND (task_bytes(old.payload, old.sealed, old.result) <> task_bytes(new.payload, new.sealed, new.result)))) EXECUTE FUNCTION count_task_change();
CREATE TRIGGER tasks_created BEFORE INSERT ON public.tasks FOR EACH ROW WHEN ((cardinality(new.history) = 0)) EXECUTE FUNCTION complete_task_move();
CREATE TRIGGER tasks_deleted_in_segments AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_task_segments();
CREATE TRIGGER tasks_deleted_in_storage AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER tasks_inserted AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_tasks();
CREATE TRIGGER tasks_inserted_in_segments AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_task_segments();
CREATE TRIGGER tasks_inserted_in_storage AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER tasks_moved BEFORE UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((old.status <> new.status) AND ((NOT is_task_move(old.status, new.status)) OR (cardinality(new.history) <= cardinality(old.history)) OR (new.history[cardinality(new.history)].to_status IS DISTINCT FROM new.status)))) EXECUTE FUNCTION complete_task_move();
CREATE TRIGGER tasks_planned BEFORE INSERT ON public.tasks FOR EACH ROW WHEN ((new.planned_at IS NOT NULL)) EXECUTE FUNCTION let_task_wait();
CREATE TRIGGER tasks_planned_anew BEFORE UPDATE OF planned_at ON public.tasks FOR EACH ROW EXECUTE FUNCTION let_task_wait();
CREATE TRIGGER tasks_updated AFTER UPDATE ON public.tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_tasks();
CREATE TRIGGER tasks_updated_in_segments AFTER UPDATE ON public.tasks REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_task_segments();

create table terminal_charts (
  terminal_id uuid not null,
  host_id uuid not null,
  charts json not null,
  truncated boolean not null,
  seen_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  constraint terminal_charts_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_charts_pkey PRIMARY KEY (terminal_id)
) with (fillfactor=70);
CREATE TRIGGER charts_inserted AFTER INSERT ON public.terminal_charts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_charts();
CREATE TRIGGER charts_updated AFTER UPDATE ON public.terminal_charts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_charts();

create table terminal_downs (
  terminal_id uuid not null,
  since timestamp with time zone not null default now(),
  constraint terminal_downs_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_downs_pkey PRIMARY KEY (terminal_id)
);

create table terminal_loads (
  terminal_id uuid not null,
  sampled_at timestamp with time zone not null default now(),
  link smallint not null,
  link_since timestamp with time zone not null default now(),
  ping_ms smallint,
  memory_mb integer,
  cpu_permille integer,
  disk_mb integer,
  build integer,
  minute_at timestamp with time zone not null,
  watched smallint not null,
  ups smallint not null,
  most_memory_mb integer,
  cpu_sum bigint not null,
  cpu_count smallint not null,
  constraint terminal_loads_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_loads_pkey PRIMARY KEY (terminal_id)
) with (fillfactor=50);
CREATE TRIGGER builds_changed AFTER UPDATE ON public.terminal_loads FOR EACH ROW WHEN ((old.build <> new.build)) EXECUTE FUNCTION note_build_change();

create table terminal_minutes (
  terminal_id uuid not null,
  hour_at timestamp with time zone not null,
  link smallint[] not null,
  ping_ms smallint[] not null,
  memory_mb integer[] not null,
  cpu_permille integer[] not null,
  disk_mb integer[] not null,
  constraint terminal_minutes_pkey PRIMARY KEY (terminal_id, hour_at)
) with (fillfactor=70);
CREATE INDEX terminal_minutes_by_age ON public.terminal_minutes USING btree (hour_at);

create table terminal_moves (
  terminal_id uuid not null,
  source_host_id uuid not null,
  target_host_id uuid not null,
  source_region integer not null,
  target_region integer not null,
  phase text not null,
  proof_task_id uuid,
  task_ids uuid[] not null default '{}'::uuid[],
  reason text,
  phase_since timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  constraint terminal_moves_phase_check CHECK ((phase = ANY (ARRAY['stopping'::text, 'stopped'::text, 'installing'::text, 'undoing'::text, 'returning'::text]))),
  constraint terminal_moves_source_host_id_fkey FOREIGN KEY (source_host_id) REFERENCES hosts(id),
  constraint terminal_moves_source_region_fkey FOREIGN KEY (source_region) REFERENCES regions(id),
  constraint terminal_moves_target_host_id_fkey FOREIGN KEY (target_host_id) REFERENCES hosts(id),
  constraint terminal_moves_target_region_fkey FOREIGN KEY (target_region) REFERENCES regions(id),
  constraint terminal_moves_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_moves_pkey PRIMARY KEY (terminal_id),
  constraint terminal_moves_proof_task_id_key UNIQUE (proof_task_id)
);

create table terminal_quarters (
  terminal_id uuid not null,
  day_at timestamp with time zone not null,
  link smallint[] not null,
  minutes smallint[] not null,
  ping_ms smallint[] not null,
  memory_mb integer[] not null,
  cpu_permille integer[] not null,
  disk_mb integer[] not null,
  constraint terminal_quarters_pkey PRIMARY KEY (terminal_id, day_at)
) with (fillfactor=70);
CREATE INDEX terminal_quarters_by_age ON public.terminal_quarters USING btree (day_at);

create table terminal_restorations (
  terminal_id uuid not null,
  task_ids uuid[] not null,
  created_at timestamp with time zone not null default now(),
  constraint terminal_restorations_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_restorations_pkey PRIMARY KEY (terminal_id)
);

create table terminal_screenshots (
  terminal_id uuid not null,
  file_id uuid not null,
  taken_at timestamp with time zone not null default now(),
  thumbnail bytea storage external,
  constraint terminal_screenshots_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_screenshots_pkey PRIMARY KEY (terminal_id)
) with (fillfactor=70);
CREATE TRIGGER screenshots_inserted AFTER INSERT ON public.terminal_screenshots REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_screenshots();
CREATE TRIGGER screenshots_updated AFTER UPDATE ON public.terminal_screenshots REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_screenshots();

create table terminal_secrets (
  terminal_id uuid not null,
  field text not null,
  sealed text not null,
  updated_at timestamp with time zone not null default now(),
  constraint terminal_secrets_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_secrets_pkey PRIMARY KEY (terminal_id, field)
);

create table terminal_setups (
  terminal_id uuid not null,
  content jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint terminal_setups_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_setups_pkey PRIMARY KEY (terminal_id)
);

create table terminal_snapshots (
  id uuid not null,
  user_id uuid not null,
  terminal_id uuid not null,
  cause text not null,
  content jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint terminal_snapshots_cause_check CHECK ((cause = ANY (ARRAY['change'::text, 'manual'::text]))),
  constraint terminal_snapshots_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint terminal_snapshots_pkey PRIMARY KEY (id)
);
CREATE INDEX terminal_snapshots_by_terminal ON public.terminal_snapshots USING btree (terminal_id, created_at DESC, id DESC);
CREATE TRIGGER terminal_snapshots_deleted_in_storage AFTER DELETE ON public.terminal_snapshots REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_snapshot_storage();
CREATE TRIGGER terminal_snapshots_inserted_in_storage AFTER INSERT ON public.terminal_snapshots REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_snapshot_storage();

create table terminals (
  id uuid not null,
  user_id uuid not null,
  project_id uuid not null,
  host_id uuid,
  region_id integer not null,
  platform text not null,
  name text not null,
  server_name text not null,
  login text not null,
  path text,
  status smallint not null default 0,
  status_reason text,
  status_changed_at timestamp with time zone not null default now(),
  announced_status smallint,
  trading_allowed boolean,
  trading_reason text,
  screenshot_every_minutes smallint,
  waiting_since timestamp with time zone,
  synced_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  search_text text generated always as (lower(((((name || '
'::text) || login) || '
'::text) || server_name))) stored,
  locked_reason text,
  tags text[] not null default '{}'::text[],
  notes text,
  external_id text,
  any_region boolean not null default false,
  lock_ends_at timestamp with time zone,
  drain_task_id uuid,
  constraint terminals_screenshot_every_minutes_check CHECK (((screenshot_every_minutes >= 1) AND (screenshot_every_minutes <= 1440))),
  constraint terminals_status_check CHECK (((status >= 0) AND (status <= 10))),
  constraint terminals_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id),
  constraint terminals_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint terminals_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id),
  constraint terminals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint terminals_pkey PRIMARY KEY (id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.01, autovacuum_analyze_scale_factor=0.01);
CREATE INDEX terminals_by_account ON public.terminals USING btree (user_id, ltrim(login, '0'::text), id) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_by_created ON public.terminals USING btree (user_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX terminals_by_external_id ON public.terminals USING btree (user_id, external_id) WHERE ((external_id IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX terminals_by_host ON public.terminals USING btree (host_id) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_by_lock_end ON public.terminals USING btree (lock_ends_at) WHERE (lock_ends_at IS NOT NULL);
CREATE INDEX terminals_by_login ON public.terminals USING btree (user_id, login, id) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_by_name ON public.terminals USING btree (user_id, name, id) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_by_project ON public.terminals USING btree (project_id, deleted_at, created_at);
CREATE INDEX terminals_by_search ON public.terminals USING gin (search_text gin_trgm_ops) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_by_server_name ON public.terminals USING btree (user_id, server_name, id) WHERE (deleted_at IS NULL);
CREATE INDEX terminals_destroyed ON public.terminals USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX terminals_hostless ON public.terminals USING btree (id) WHERE ((waiting_since IS NULL) AND (host_id IS NULL) AND (deleted_at IS NULL));
CREATE INDEX terminals_waiting ON public.terminals USING btree (region_id, platform, user_id, waiting_since, id) WHERE ((waiting_since IS NOT NULL) AND (host_id IS NULL) AND (deleted_at IS NULL));
CREATE INDEX terminals_waiting_anywhere ON public.terminals USING btree (platform, user_id, waiting_since, id) WHERE (any_region AND (waiting_since IS NOT NULL) AND (host_id IS NULL) AND (deleted_at IS NULL));
CREATE TRIGGER note_risk_new_terminal AFTER INSERT ON public.terminals FOR EACH ROW WHEN ((new.host_id IS NOT NULL)) EXECUTE FUNCTION note_risk_terminal();
CREATE TRIGGER note_risk_terminal AFTER UPDATE OF host_id, project_id, login, server_name, deleted_at ON public.terminals FOR EACH ROW WHEN ((((((old.host_id IS DISTINCT FROM new.host_id) OR (old.project_id IS DISTINCT FROM new.project_id)) OR (old.login IS DISTINCT FROM new.login)) OR (old.server_name IS DISTINCT FROM new.server_name)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION note_risk_terminal();
CREATE TRIGGER terminals_inserted AFTER INSERT ON public.terminals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_new_terminals();
CREATE TRIGGER terminals_moved_between_projects AFTER UPDATE ON public.terminals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_task_projects();
CREATE TRIGGER terminals_updated AFTER UPDATE ON public.terminals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_terminal_changes();

create table tokens (
  id bigint not null generated always as identity,
  user_id uuid not null,
  name text not null,
  abilities text[] not null,
  secret_hash bytea not null,
  is_login boolean not null default false,
  is_session boolean not null default false,
  device text,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone,
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX tokens_by_user ON public.tokens USING btree (user_id, id DESC);
CREATE TRIGGER tokens_deleted AFTER DELETE ON public.tokens REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_access();

create table trading_accounts (
  id bigint not null generated always as identity,
  terminal_id uuid not null,
  login text not null,
  server_name text not null,
  created_at timestamp with time zone not null default now(),
  host_id uuid,
  taken_at timestamp with time zone,
  seen_at timestamp with time zone,
  sequence bigint,
  currency text,
  currency_digits smallint,
  leverage integer,
  margin_mode text,
  balance numeric,
  credit numeric,
  equity numeric,
  profit numeric,
  margin numeric,
  free_margin numeric,
  margin_level numeric,
  trading_allowed boolean,
  is_synchronized boolean,
  positions_total integer,
  orders_total integer,
  positions json,
  orders json,
  last_deal bigint,
  minute_at timestamp with time zone,
  minute_min numeric,
  minute_max numeric,
  day_at timestamp with time zone,
  day_first numeric,
  day_max numeric,
  connected boolean,
  tick_age_ms bigint,
  constraint trading_accounts_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminals(id) ON DELETE CASCADE,
  constraint trading_accounts_pkey PRIMARY KEY (id),
  constraint trading_accounts_terminal_id_login_server_name_key UNIQUE (terminal_id, login, server_name)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.1);

create table trading_stop_terminals (
  terminal_id uuid not null,
  user_id uuid not null,
  was_on boolean,
  since timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone,
  asked_at timestamp with time zone not null default now(),
  asked_status smallint not null,
  tries smallint not null default 0,
  constraint trading_stop_terminals_user_id_fkey FOREIGN KEY (user_id) REFERENCES trading_stops(user_id) ON DELETE CASCADE,
  constraint trading_stop_terminals_pkey PRIMARY KEY (terminal_id)
);
CREATE INDEX trading_stop_terminals_by_user ON public.trading_stop_terminals USING btree (user_id, terminal_id);
CREATE INDEX trading_stop_terminals_unconfirmed ON public.trading_stop_terminals USING btree (asked_at) WHERE (confirmed_at IS NULL);

create table trading_stops (
  user_id uuid not null,
  run_id uuid not null,
  started_at timestamp with time zone not null default now(),
  constraint trading_stops_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint trading_stops_pkey PRIMARY KEY (user_id)
);
CREATE TRIGGER trading_stops_deleted AFTER DELETE ON public.trading_stops REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_trading_stops();
CREATE TRIGGER trading_stops_inserted AFTER INSERT ON public.trading_stops REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_trading_stops();

create table user_storage (
  user_id uuid not null,
  used_bytes bigint not null default 0,
  file_count integer not null default 0,
  constraint user_storage_pkey PRIMARY KEY (user_id)
) with (fillfactor=50);

create table users (
  id uuid not null,
  name text not null,
  email text not null,
  password_hash text not null,
  email_verified_at timestamp with time zone,
  plan smallint not null default 0,
  status smallint not null default 0,
  is_operator boolean not null default false,
  balance numeric(14,2) not null default 0,
  default_project_id uuid not null,
  plan_expires_at timestamp with time zone,
  referrer_id uuid,
  welcome_claimed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  muted_notifications text[] not null default '{}'::text[],
  external_id text,
  terminal_limit integer,
  storage_mib integer,
  region_ids integer[],
  suspended_reason text,
  suspended_terminals text,
  suspended_at timestamp with time zone,
  operator_role text,
  closed_at timestamp with time zone,
  removal_began_at timestamp with time zone,
  constraint users_operator_role_check CHECK ((operator_role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text]))),
  constraint users_role_of_operators CHECK ((is_operator OR (operator_role IS NULL))),
  constraint users_status_check CHECK ((status = ANY (ARRAY[0, 1, 2]))),
  constraint users_default_project FOREIGN KEY (default_project_id) REFERENCES projects(id) DEFERRABLE INITIALLY DEFERRED,
  constraint users_referrer_id_fkey FOREIGN KEY (referrer_id) REFERENCES users(id),
  constraint users_pkey PRIMARY KEY (id)
);
CREATE INDEX users_by_closed ON public.users USING btree (closed_at) WHERE ((closed_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX users_by_created ON public.users USING btree (created_at DESC, id DESC);
CREATE UNIQUE INDEX users_by_external_id ON public.users USING btree (external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE INDEX users_operators ON public.users USING btree (created_at, id) WHERE (is_operator AND (deleted_at IS NULL));
CREATE TRIGGER users_updated AFTER UPDATE ON public.users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_account();

create table webhook_deliveries (
  id uuid not null,
  webhook_id uuid not null,
  event_id bigint,
  event_type text not null,
  terminal_id uuid,
  status text not null default 'pending'::text,
  attempts jsonb not null default '[]'::jsonb,
  attempt_count integer not null default 0,
  next_attempt_at timestamp with time zone default now(),
  created_at timestamp with time zone not null default now(),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id)
);
CREATE INDEX webhook_deliveries_by_time ON public.webhook_deliveries USING brin (created_at) WITH (autosummarize='on');
CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree (webhook_id, id) WHERE (status = 'pending'::text);
CREATE TRIGGER deliveries_changed_in_storage AFTER UPDATE OF attempts ON public.webhook_deliveries FOR EACH ROW WHEN ((delivery_bytes(old.attempts) <> delivery_bytes(new.attempts))) EXECUTE FUNCTION count_delivery_change();
CREATE TRIGGER deliveries_deleted_in_storage AFTER DELETE ON public.webhook_deliveries REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();
CREATE TRIGGER deliveries_inserted_in_storage AFTER INSERT ON public.webhook_deliveries REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

create table webhook_half_hours (
  webhook_id uuid not null,
  slot smallint not null,
  begun_at timestamp with time zone not null,
  succeeded integer not null,
  at_first_try integer not null,
  failed integer not null,
  times integer[] not null,
  constraint webhook_half_hours_slot_check CHECK (((slot >= 0) AND (slot <= 47))),
  constraint webhook_half_hours_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_half_hours_pkey PRIMARY KEY (webhook_id, slot)
) with (fillfactor=50);

create table webhooks (
  id uuid not null,
  user_id uuid not null,
  url text not null,
  events text[] not null,
  project_id uuid,
  description text,
  is_ordered boolean not null default false,
  status text not null default 'active'::text,
  disabled_reason text,
  secret text not null,
  previous_secret text,
  secret_rotated_at timestamp with time zone,
  "position" bigint not null,
  is_full boolean not null default false,
  due_at timestamp with time zone,
  calls integer not null default 0,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint webhooks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint webhooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint webhooks_pkey PRIMARY KEY (id)
);
CREATE INDEX webhooks_by_project ON public.webhooks USING btree (project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX webhooks_by_user ON public.webhooks USING btree (user_id, id);
CREATE TRIGGER webhooks_deleted_in_storage BEFORE DELETE ON public.webhooks FOR EACH ROW EXECUTE FUNCTION count_deliveries_of_webhook();

create view task_history as
 SELECT t.id AS task_id,
    m.number AS id,
    m.at,
    m.from_status,
    m.to_status,
    m.actor,
    m.attempt
   FROM (tasks t
     CROSS JOIN LATERAL unnest(t.history) WITH ORDINALITY m(at, from_status, to_status, actor, attempt, number));

CREATE OR REPLACE FUNCTION public.announce(users uuid[], event text, data json[])
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_notify('berth_events', json_build_object('user', c.user_id, 'event', event, 'data', c.data)::text)
  from unnest(users, data) as c (user_id, data)
  where exists (select from event_watchers w where w.user_id = c.user_id)
    and (select pg_notification_queue_usage()) < 0.75
$function$;

CREATE OR REPLACE FUNCTION public.announce_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(distinct user_id), 'access', null) from old_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.id), 'access', null)
    from new_rows n
    join old_rows o on o.id = n.id
    where o.status <> n.status or o.deleted_at is distinct from n.deleted_at;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_bulk_run_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'bulk_run', array_agg(json_build_object('id', n.id)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (n.canceled_at, n.finished_at) is distinct from (o.canceled_at, o.finished_at);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_bulk_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'bulk_run', array_agg(json_build_object('id', id))) from changed_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_charts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(t.user_id), 'charts', array_agg(json_build_object('id', t.id)))
    from new_rows n
    join terminals t on t.id = n.terminal_id
    where n.changed_at = now()
    having count(*) > 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(distinct user_id), 'happened', null) from new_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_new_terminals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'terminal', array_agg(json_build_object('id', id, 'status', status)))
    from new_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_notifications()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'notification', array_agg(json_build_object('id', id)))
    from new_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_screenshots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(t.user_id), 'terminal', array_agg(json_build_object('id', t.id, 'status', t.status)))
    from new_rows n
    join terminals t on t.id = n.terminal_id
    where n.taken_at = now()
    having count(*) > 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id order by seq), 'task', array_agg(
      json_build_object('id', id, 'terminal_id', terminal_id, 'type', type, 'status', status) order by seq))
    from new_rows
    -- Those that moved: other columns are nobody's news.
    where (history[cardinality(history)]).at = now()
    having count(*) > 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_terminal_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'terminal', array_agg(json_build_object('id', n.id, 'status', n.status)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (o.status, o.login, o.server_name, o.name, o.project_id) <> (n.status, n.login, n.server_name, n.name, n.project_id)
      or (o.status_reason, o.screenshot_every_minutes) is distinct from (n.status_reason, n.screenshot_every_minutes);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_trading_stops()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'bulk_run', array_agg(json_build_object('id', run_id))) from changed_rows;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.complete_task_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    new.history := task_steps(null, new.status, new.actor, new.attempts);
    return new;
  end if;
  if not is_task_move(old.status, new.status) then
    raise exception 'a task cannot move from status % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  new.history := old.history || task_steps(old.status, new.status, new.actor, new.attempts);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.count_deleted_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update user_storage s set used_bytes = s.used_bytes - g.bytes, file_count = s.file_count - g.files
  from (
    select user_id, sum(size) as bytes, count(*) as files from old_rows group by user_id order by user_id
  ) g
  where s.user_id = g.user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_deliveries_of_webhook()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage_changes (user_id, kind, bytes)
  select old.user_id, 'webhooks', -sum(delivery_bytes(attempts)) from webhook_deliveries where webhook_id = old.id
  having count(*) > 0;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION public.count_delivery_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage_changes (user_id, kind, bytes)
  select w.user_id, 'webhooks', delivery_bytes(new.attempts) - delivery_bytes(old.attempts)
  from webhooks w where w.id = new.webhook_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage_changes (user_id, kind, bytes)
  values (new.user_id, 'other', row_bytes(new.response) - row_bytes(old.response));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_new_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into user_storage as s (user_id, used_bytes, file_count) values (new.user_id, new.size, 1)
  on conflict (user_id) do update set used_bytes = s.used_bytes + excluded.used_bytes, file_count = s.file_count + 1;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_run_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage_changes (user_id, kind, bytes) values (new.user_id, 'runs',
    run_bytes(new.payload, new.sealed, new.total) - run_bytes(old.payload, old.sealed, old.total));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_snapshot_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into storage_changes (user_id, kind, bytes)
  select user_id, 'other', sign * sum(row_bytes(content)) from changed_rows group by user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if tg_table_name = 'tasks' then
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'tasks', sign * sum(task_bytes(payload, sealed, result)) from changed_rows group by user_id;
  elsif tg_table_name = 'bulk_runs' then
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'runs', sign * sum(run_bytes(payload, sealed, total)) from changed_rows group by user_id;
  elsif tg_table_name = 'webhook_deliveries' then
    -- Those of a webhook that is deleted were counted with it.
    insert into storage_changes (user_id, kind, bytes)
    select w.user_id, 'webhooks', sign * sum(delivery_bytes(c.attempts))
    from changed_rows c join webhooks w on w.id = c.webhook_id group by w.user_id;
  elsif tg_table_name = 'events' then
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'events', sign * sum(row_bytes(data)) from changed_rows group by user_id;
  elsif tg_table_name = 'notifications' then
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'other', sign * sum(row_bytes(data)) from changed_rows group by user_id;
  elsif tg_table_name = 'idempotency_keys' then
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'other', sign * sum(row_bytes(response)) from changed_rows group by user_id;
  else
    -- Alerts and their messages.
    insert into storage_changes (user_id, kind, bytes)
    select user_id, 'other', sign * 1024 * count(*) from changed_rows group by user_id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_task_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage_changes (user_id, kind, bytes) values (new.user_id, 'tasks',
    task_bytes(new.payload, new.sealed, new.result) - task_bytes(old.payload, old.sealed, old.result));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.delivery_bytes(attempts jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 512 + greatest(512, octet_length(attempts::text))::bigint
$function$;

CREATE OR REPLACE FUNCTION public.is_task_move(from_status smallint, to_status smallint)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (from_status, to_status) in (
    (0, 1), (0, 2), (0, 5), (0, 6), (1, 2), (1, 5), (1, 6),
    (2, 1), (2, 3), (2, 4), (2, 5), (2, 7), (3, 1), (3, 4), (3, 5), (3, 7)
  )
$function$;

CREATE OR REPLACE FUNCTION public.keep_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.let_task_wait()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.waits_until := case when new.planned_at > now() then new.planned_at end;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.merge_slots(old_slots anyarray, new_slots anyarray)
 RETURNS anyarray
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array_agg(coalesce(s.new_slot, s.old_slot) order by s.number)
  from unnest(old_slots, new_slots) with ordinality as s (old_slot, new_slot, number)
$function$;

CREATE OR REPLACE FUNCTION public.note_build_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into build_changes (terminal_id, from_build, to_build) values (new.terminal_id, old.build, new.build);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_first_deposit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_risk_change(array(select t.host_id from trading_accounts a join terminals t on t.id = a.terminal_id
    where a.id = new.account_id and t.deleted_at is null
      and exists (select from risk_rules where user_id = t.user_id and deleted_at is null)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_initial_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_risk_change(array(select distinct host_id from terminals
    where user_id = coalesce(new.user_id, old.user_id) and ltrim(login, '0') = coalesce(new.login, old.login)
      and deleted_at is null and host_id is not null
      and exists (select from risk_rules where user_id = coalesce(new.user_id, old.user_id) and deleted_at is null)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_lost_hosts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into lost_hosts (host_id, user_id)
  select distinct (data ->> 'host_id')::uuid, user_id from new_rows where type = 'host.lost' and data ? 'host_id'
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_risk_change(hosts uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  changed uuid;
begin
  for changed in select distinct id from unnest(hosts) as id where id is not null order by id loop
    insert into host_risk_versions (host_id) values (changed)
    on conflict (host_id) do update set version = host_risk_versions.version + 1;
    perform pg_notify('berth_risk', changed::text);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.note_risk_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_risk_change(array(select distinct host_id from terminals
    where user_id = coalesce(new.user_id, old.user_id) and deleted_at is null and host_id is not null));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_risk_terminal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from risk_rules where user_id = new.user_id and deleted_at is null) then
    perform note_risk_change(array[new.host_id, case when tg_op = 'UPDATE' then old.host_id end]);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuses_trading(of_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('trading of ' || of_user, 0)) then
    return true;
  end if;
  return exists (
    select from users u where u.id = of_user and u.status <> 0 and u.suspended_terminals is distinct from 'keep'
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.row_bytes(content jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 256 + octet_length(content::text)::bigint
$function$;

CREATE OR REPLACE FUNCTION public.run_bytes(payload jsonb, sealed text, total integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 512 + octet_length(payload::text) + coalesce(octet_length(sealed), 0) + 128 * total::bigint
$function$;

CREATE OR REPLACE FUNCTION public.task_bytes(payload jsonb, sealed text, result jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 512 + greatest(512, octet_length(payload::text) + coalesce(octet_length(sealed), 0)
    + coalesce(octet_length(result::text), 0))::bigint
$function$;

CREATE OR REPLACE FUNCTION public.task_steps(from_status smallint, to_status smallint, actor text, attempt smallint)
 RETURNS task_move[]
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when from_status = 0 and to_status in (2, 5) then array[
      row(now(), 0, 1, actor, attempt), row(now(), 1, to_status, actor, attempt)
    ]::task_move[]
    when from_status = 2 and to_status = 4 then array[
      row(now(), 2, 3, actor, attempt), row(now(), 3, 4, actor, attempt)
    ]::task_move[]
    else array[row(now(), from_status, to_status, actor, attempt)]::task_move[]
  end
$function$;

CREATE OR REPLACE FUNCTION public.touch_task_projects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  segment record;
begin
  if exists (select from task_segments) then
    for segment in
      select list_id, first_seq from task_segments
      where list_id in (select n.user_id from new_rows n join old_rows o on o.id = n.id where o.project_id <> n.project_id)
      order by 1, 2
    loop
      update task_segments set touched = touched + 1, project_counts = null
      where list_id = segment.list_id and first_seq = segment.first_seq;
    end loop;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_task_segments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  segment record;
begin
  if (select min(seq) from changed_rows) < (select max(first_seq) from task_segments) then
    for segment in
      select distinct l.list_id, f.first_seq from changed_rows c
      cross join lateral (values (c.user_id), (c.terminal_id)) as l (list_id)
      cross join lateral (
        select first_seq from task_segments where list_id = l.list_id and first_seq <= c.seq order by first_seq desc limit 1
      ) f
      where exists (select from task_segments n where n.list_id = l.list_id and n.first_seq > c.seq)
      order by 1, 2
    loop
      update task_segments set touched = touched + 1, counts = null, project_counts = null
      where list_id = segment.list_id and first_seq = segment.first_seq;
    end loop;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.wake_alerts_by_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into alert_wakes (user_id)
  select distinct user_id from new_rows
  where type in ('terminal.down', 'terminal.up', 'terminal.login_failed', 'terminal.status_changed', 'trading.switched', 'expert.failed',
      'host.lost', 'host.back', 'risk.breached')
    or type = 'task.finished' and data ->> 'status' in ('5', '7');
  return null;
end $function$;

