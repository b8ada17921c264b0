-- What the scheduler knows of times without it, as offsets in its one row: a fleet's rows need no update when a server comes back.
alter table scheduler
  -- When a tick did all its work; last_run_at notes each that began.
  add column completed_at timestamptz not null default now(),
  -- When the last gap ended. The silence of hosts and the age of leases count from here at the earliest.
  add column excused_at timestamptz not null default '1970-01-01 00:00:00+00',
  -- The gaps that no task spent in a queue, those that ended within the last hour before excused_at.
  add column queue_excuse interval not null default '0',
  -- By how much the clock was set back, as long as rows that were written on the old time have not followed it.
  add column set_back interval not null default '0';
