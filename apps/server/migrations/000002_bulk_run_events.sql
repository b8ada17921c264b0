-- Live events of runs on many terminals.

-- That there is one more or one less, and that one was canceled or is over. How far it is shows in its tasks.
create function announce_bulk_runs() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(user_id), 'bulk_run', array_agg(json_build_object('id', id))) from changed_rows;
  end if;
  return null;
end $$;
create function announce_bulk_run_changes() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(n.user_id), 'bulk_run', array_agg(json_build_object('id', n.id)))
    from new_rows n
    join old_rows o on o.id = n.id
    where (n.canceled_at, n.finished_at) is distinct from (o.canceled_at, o.finished_at);
  end if;
  return null;
end $$;
create trigger bulk_runs_inserted after insert on bulk_runs
  referencing new table as changed_rows for each statement execute function announce_bulk_runs();
create trigger bulk_runs_updated after update on bulk_runs
  referencing old table as old_rows new table as new_rows for each statement execute function announce_bulk_run_changes();
create trigger bulk_runs_deleted after delete on bulk_runs
  referencing old table as changed_rows for each statement execute function announce_bulk_runs();
