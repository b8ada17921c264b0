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

-- The clock without the gaps: now() - time_lost goes on where it stopped.
alter table scheduler add column time_lost interval not null default '0';

-- Since when a terminal waits for a host, on the clock without the gaps.
alter table terminals add column waiting_since timestamptz;
drop index terminals_waiting;
create index terminals_waiting on terminals (region_id, platform, user_id, waiting_since, id)
  where waiting_since is not null and host_id is null and deleted_at is null;
-- Failed, being destroyed, or put here by an older server.
create index terminals_hostless on terminals (id) where waiting_since is null and host_id is null and deleted_at is null;

-- Who was given a host last in a region for a platform: the next one in turn comes after.
create table placement_turns (
  region_id integer not null references regions (id),
  platform text not null,
  user_id uuid not null,
  primary key (region_id, platform)
);

-- What waits behind an installation that is given up ends with it.
insert into task_moves values (0, 5, 1, 0, 1), (0, 5, 2, 1, 5);

-- Destroyed terminals are removed a month later; notifications of one kind about one thing are counted up for some minutes.
create index terminals_destroyed on terminals (deleted_at) where deleted_at is not null;
create index notifications_by_subject on notifications (user_id, (data ->> 'id'), type, created_at desc);
