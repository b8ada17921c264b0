-- A task's moves are kept in its own row: one write per move instead of two, and a task goes with its history. The view
-- `task_history` shows them as rows.

-- When, from which status (null: it was created), to which one, by whom, and in which attempt.
create type task_move as (at timestamptz, from_status smallint, to_status smallint, actor text, attempt smallint);

drop trigger tasks_inserted on tasks;
drop trigger tasks_updated on tasks;
drop function record_new_tasks();
drop function record_task_moves();
drop function refuse_task_move(smallint, smallint);

alter table tasks add column history task_move[] not null default '{}';

update tasks t set history = h.moves
from (
  select task_id, array_agg(row(at, from_status, to_status, actor, attempt)::task_move order by id) as moves
  from task_history group by task_id
) h
where t.id = h.task_id;

drop table task_history;
drop table task_moves;

create view task_history as
select t.id as task_id, m.number as id, m.at, m.from_status, m.to_status, m.actor, m.attempt
from tasks t cross join lateral unnest(t.history) with ordinality as m (at, from_status, to_status, actor, attempt, number);

-- The steps of one update. Some updates do two moves at once; the history gets both. Inlined where it is called.
create function task_steps(from_status smallint, to_status smallint, actor text, attempt smallint) returns task_move[]
language sql stable as $$
  select case
    when from_status = 0 and to_status in (2, 5) then array[
      row(now(), 0, 1, actor, attempt), row(now(), 1, to_status, actor, attempt)
    ]::task_move[]
    when from_status = 2 and to_status = 4 then array[
      row(now(), 2, 3, actor, attempt), row(now(), 3, 4, actor, attempt)
    ]::task_move[]
    else array[row(now(), from_status, to_status, actor, attempt)]::task_move[]
  end
$$;

-- The moves that the contract knows, two at once included. Inlined, too.
create function is_task_move(from_status smallint, to_status smallint) returns boolean
language sql immutable as $$
  select (from_status, to_status) in (
    (0, 1), (0, 2), (0, 5), (0, 6), (1, 2), (1, 5), (1, 6),
    (2, 1), (2, 3), (2, 4), (2, 5), (2, 7), (3, 1), (3, 4), (3, 5), (3, 7)
  )
$$;

-- Statements of the service append the steps of their moves. For those that do not (of the version before, during an
-- upgrade, or of a person) this does it; a move that is not known is refused. It is called for nothing else.
create function complete_task_move() returns trigger language plpgsql as $$
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
end $$;

create trigger tasks_created before insert on tasks for each row
when (cardinality(new.history) = 0) execute function complete_task_move();

create trigger tasks_moved before update of status on tasks for each row
when (
  old.status <> new.status and (
    not is_task_move(old.status, new.status)
    or cardinality(new.history) <= cardinality(old.history)
    or (new.history[cardinality(new.history)]).to_status is distinct from new.status
  )
) execute function complete_task_move();

create function announce_tasks() returns trigger language plpgsql as $$
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
end $$;

create trigger tasks_inserted after insert on tasks referencing new table as new_rows
for each statement execute function announce_tasks();
create trigger tasks_updated after update on tasks referencing new table as new_rows
for each statement execute function announce_tasks();
