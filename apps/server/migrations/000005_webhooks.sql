-- Endpoints of users that are sent what happened to what they have. A webhook is a reader of the log of events with a place
-- of its own in it: what lies behind the place waits in the log, and only a window of deliveries is made at a time.
create table webhooks (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  url text not null,
  events text[] not null,
  project_id uuid references projects,
  description text,
  is_ordered boolean not null default false,
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text,
  -- Sealed (src/secrets/vault.ts).
  secret text not null,
  previous_secret text,
  secret_rotated_at timestamptz,
  -- The last event for which it is decided whether there is a delivery.
  position bigint not null,
  -- The window is full.
  is_full boolean not null default false,
  -- When the next try of a delivery is due; null: none waits.
  due_at timestamptz,
  -- How often it was asked to send something now.
  calls integer not null default 0,
  -- Tries that failed since the last one that did not.
  failures integer not null default 0,
  failing_since timestamptz,
  -- Nothing is sent until then, because the endpoint fails.
  paused_until timestamptz,
  -- The server that sends for it.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_by_user on webhooks (user_id, id);
create index webhooks_by_project on webhooks (project_id) where project_id is not null;

create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  -- null: a test
  event_id bigint,
  event_type text not null,
  terminal_id uuid,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- The last ones, oldest first.
  attempts jsonb not null default '[]',
  -- Since it was made or sent again.
  attempt_count integer not null default 0,
  next_attempt_at timestamptz default now(),
  created_at timestamptz not null default now(),
  unique (webhook_id, event_id)
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, id) where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries using brin (created_at) with (autosummarize = on);
