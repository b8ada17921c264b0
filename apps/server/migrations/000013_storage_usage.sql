-- What each user makes grow, besides files (`user_storage`): tasks, runs, deliveries of webhooks, events and the rest.
-- Triggers note every change in a row of its own, so that no writer waits for another; a loop of the server adds the rows
-- up (`storage/usage.ts`). What is used is always the sum of both.
create table storage_usage (
  user_id uuid not null,
  kind text not null check (kind in ('tasks', 'runs', 'webhooks', 'events', 'other')),
  bytes bigint not null,
  primary key (user_id, kind)
) with (fillfactor = 50);

create table storage_changes (
  id bigint not null generated always as identity primary key,
  user_id uuid not null,
  kind text not null,
  bytes bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index storage_changes_by_user on storage_changes (user_id);

-- What a row counts for: its texts, and what it takes besides in its table and its indexes. Short results and answers are
-- included, so that most tasks and deliveries never change their size.
create function task_bytes(payload jsonb, sealed text, result jsonb) returns bigint language sql immutable as $$
  select 512 + greatest(512, octet_length(payload::text) + coalesce(octet_length(sealed), 0)
    + coalesce(octet_length(result::text), 0))::bigint
$$;

create function run_bytes(payload jsonb, sealed text, total integer) returns bigint language sql immutable as $$
  select 512 + octet_length(payload::text) + coalesce(octet_length(sealed), 0) + 128 * total::bigint
$$;

create function delivery_bytes(attempts jsonb) returns bigint language sql immutable as $$
  select 512 + greatest(512, octet_length(attempts::text))::bigint
$$;

create function row_bytes(content jsonb) returns bigint language sql immutable as $$
  select 256 + octet_length(content::text)::bigint
$$;

-- Of rows that came or went.
create function count_storage() returns trigger language plpgsql as $$
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
end $$;

create trigger tasks_inserted_in_storage after insert on tasks
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger tasks_deleted_in_storage after delete on tasks
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger bulk_runs_inserted_in_storage after insert on bulk_runs
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger bulk_runs_deleted_in_storage after delete on bulk_runs
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger deliveries_inserted_in_storage after insert on webhook_deliveries
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger deliveries_deleted_in_storage after delete on webhook_deliveries
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger events_inserted_in_storage after insert on events
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger events_deleted_in_storage after delete on events
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger notifications_inserted_in_storage after insert on notifications
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger notifications_deleted_in_storage after delete on notifications
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger idempotency_keys_inserted_in_storage after insert on idempotency_keys
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger idempotency_keys_deleted_in_storage after delete on idempotency_keys
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger alerts_inserted_in_storage after insert on alerts
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger alerts_deleted_in_storage after delete on alerts
  referencing old table as changed_rows for each statement execute function count_storage();
create trigger alert_messages_inserted_in_storage after insert on alert_messages
  referencing new table as changed_rows for each statement execute function count_storage();
create trigger alert_messages_deleted_in_storage after delete on alert_messages
  referencing old table as changed_rows for each statement execute function count_storage();

-- Of rows that changed their size. A key that is used again after a day is a row that changed, too.
create function count_task_change() returns trigger language plpgsql as $$
begin
  insert into storage_changes (user_id, kind, bytes) values (new.user_id, 'tasks',
    task_bytes(new.payload, new.sealed, new.result) - task_bytes(old.payload, old.sealed, old.result));
  return null;
end $$;
create trigger tasks_changed_in_storage after update of sealed, result on tasks for each row
  when ((old.sealed is distinct from new.sealed or old.result is distinct from new.result)
    and task_bytes(old.payload, old.sealed, old.result) <> task_bytes(new.payload, new.sealed, new.result))
  execute function count_task_change();

create function count_run_change() returns trigger language plpgsql as $$
begin
  insert into storage_changes (user_id, kind, bytes) values (new.user_id, 'runs',
    run_bytes(new.payload, new.sealed, new.total) - run_bytes(old.payload, old.sealed, old.total));
  return null;
end $$;
create trigger bulk_runs_changed_in_storage after update of sealed on bulk_runs for each row
  when (old.sealed is distinct from new.sealed) execute function count_run_change();

create function count_delivery_change() returns trigger language plpgsql as $$
begin
  insert into storage_changes (user_id, kind, bytes)
  select w.user_id, 'webhooks', delivery_bytes(new.attempts) - delivery_bytes(old.attempts)
  from webhooks w where w.id = new.webhook_id;
  return null;
end $$;
create trigger deliveries_changed_in_storage after update of attempts on webhook_deliveries for each row
  when (delivery_bytes(old.attempts) <> delivery_bytes(new.attempts)) execute function count_delivery_change();

create function count_key_change() returns trigger language plpgsql as $$
begin
  insert into storage_changes (user_id, kind, bytes)
  values (new.user_id, 'other', row_bytes(new.response) - row_bytes(old.response));
  return null;
end $$;
create trigger idempotency_keys_changed_in_storage after update of response on idempotency_keys for each row
  when (row_bytes(old.response) <> row_bytes(new.response)) execute function count_key_change();

create function count_deliveries_of_webhook() returns trigger language plpgsql as $$
begin
  insert into storage_changes (user_id, kind, bytes)
  select old.user_id, 'webhooks', -sum(delivery_bytes(attempts)) from webhook_deliveries where webhook_id = old.id
  having count(*) > 0;
  return old;
end $$;
create trigger webhooks_deleted_in_storage before delete on webhooks
  for each row execute function count_deliveries_of_webhook();

-- What is there already. The triggers hold off writers until the end of the transaction.
insert into storage_usage (user_id, kind, bytes)
select user_id, kind, sum(bytes) from (
  select user_id, 'tasks' as kind, task_bytes(payload, sealed, result) as bytes from tasks
  union all select user_id, 'runs', run_bytes(payload, sealed, total) from bulk_runs
  union all select w.user_id, 'webhooks', delivery_bytes(d.attempts) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
  union all select user_id, 'events', row_bytes(data) from events
  union all select user_id, 'other', row_bytes(data) from notifications
  union all select user_id, 'other', row_bytes(response) from idempotency_keys
  union all select user_id, 'other', 1024 from alerts
  union all select user_id, 'other', 1024 from alert_messages
) as counted group by user_id, kind;
