-- Long lists of tasks are counted in segments, so that neither their length nor a page in their middle is found by going through
-- them. A segment is a range of `seq` in the list of a user or of a terminal, from `first_seq` to the next one's; the newest is
-- open and has no counts. They are made where a long list is read (`tasks/segments.ts`), never where tasks are created: a
-- segment has counts only while nothing of it changed since it was counted.

create type task_count as (project_id uuid, type smallint, status smallint, total integer);

-- Made again from `tasks` after a crash or a restoration: nothing of it has to be logged or backed up.
create unlogged table task_segments (
  -- A user or a terminal.
  list_id uuid not null,
  first_seq bigint not null,
  -- How often something in it changed: a count of rows that changed meanwhile is dropped.
  touched bigint not null default 0,
  -- Transactions from this one on know the segment, and say what they change in it. Older ones have to end before it is counted.
  known_since xid8,
  counts task_count[],
  -- The same by projects, of users alone. Null where a terminal went to another project since.
  project_counts task_count[],
  primary key (list_id, first_seq)
);
create index task_segments_by_seq on task_segments (first_seq);

-- Runs with every statement that inserts, moves or deletes tasks. What is newer than all segments, as nearly everything is that
-- changes, costs one look into an index. The newest segment of a list is not touched: it would be one row for all writers.
--
-- Row by row, in an order: an update of a set whose rows another transaction changes meanwhile could pass over some of them.
create function touch_task_segments() returns trigger language plpgsql as $$
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
end $$;

create trigger tasks_inserted_in_segments after insert on tasks referencing new table as changed_rows
for each statement execute function touch_task_segments();
create trigger tasks_updated_in_segments after update on tasks referencing new table as changed_rows
for each statement execute function touch_task_segments();
create trigger tasks_deleted_in_segments after delete on tasks referencing old table as changed_rows
for each statement execute function touch_task_segments();

-- A terminal that goes to another project takes its tasks with it.
create function touch_task_projects() returns trigger language plpgsql as $$
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
end $$;

create trigger terminals_moved_between_projects after update on terminals referencing old table as old_rows new table as new_rows
for each statement execute function touch_task_projects();
