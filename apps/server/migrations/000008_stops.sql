-- What ends trading goes before everything that waits on its terminal: lane 0, and 1 for the rest. Installations are in
-- lane 0, too: before them there is nothing to stop.
alter table tasks add column lane smallint not null default 1 check (lane in (0, 1));
update tasks set lane = 0 where finished_at is null and type = 0;
alter table tasks drop constraint tasks_type_check;
alter table tasks add constraint tasks_type_check check (type between 0 and 14 or type between 100 and 103);

drop index tasks_open;
-- The queue: every task that has not ended, in the order of its terminal.
create index tasks_open on tasks (host_id, terminal_id, lane, seq) where finished_at is null;
-- The stops that wait or run, which are few: what runs is interrupted for them.
create index tasks_open_stops on tasks (terminal_id) where finished_at is null and lane = 0;

-- A locked terminal refuses logins, experts, trading and its start, until it is unlocked.
alter table terminals add column locked_reason text;
