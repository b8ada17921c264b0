-- What became of the deliveries of a webhook, by the half hour in which they ended. A row is used again a day later, so
-- that a webhook never has more than 48.
create table webhook_half_hours (
  webhook_id uuid not null references webhooks on delete cascade,
  -- The number of the half hour in its day, in UTC.
  slot smallint not null check (slot between 0 and 47),
  begun_at timestamptz not null,
  succeeded integer not null,
  -- Those that took one try.
  at_first_try integer not null,
  failed integer not null,
  -- How many of those that succeeded were answered within which time: src/webhooks/half-hours.ts has the bounds.
  times integer[] not null,
  primary key (webhook_id, slot)
) with (fillfactor = 50);
