-- Until when a planned task is passed over: null for all others, and once its time has come (`tasks/planned.ts`).
alter table tasks add column waits_until timestamptz;
update tasks set waits_until = planned_at where finished_at is null and planned_at > now();

create function let_task_wait() returns trigger language plpgsql as $$
begin
  new.waits_until := case when new.planned_at > now() then new.planned_at end;
  return new;
end $$;
create trigger tasks_planned before insert on tasks for each row
when (new.planned_at is not null) execute function let_task_wait();
create trigger tasks_planned_anew before update of planned_at on tasks for each row execute function let_task_wait();

drop index tasks_open;
-- The queue: every task that has not ended, by its terminal; first what does not wait for its time, in its order.
create index tasks_open on tasks (host_id, terminal_id, waits_until nulls first, lane, seq) where finished_at is null;
-- The stops that wait or run, without those that are planned for later.
drop index tasks_open_stops;
create index tasks_open_stops on tasks (terminal_id) where finished_at is null and lane = 0 and waits_until is null;
create index tasks_waiting on tasks (waits_until) where finished_at is null and waits_until is not null;
