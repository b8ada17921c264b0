-- What happened to what a user has, written in the transaction that makes it happen. Transactions end in another order than
-- that of their ids: readers go no further than an id below which nothing is under way (src/event-log/horizon.ts).
create table events (
  id bigint generated always as identity,
  user_id uuid not null,
  type text not null,
  occurred_at timestamptz not null default now(),
  terminal_id uuid,
  -- That the terminal was in then.
  project_id uuid,
  data jsonb not null,
  primary key (user_id, id)
);
-- For pruning: rows stand in the order of their time.
create index events_by_time on events using brin (occurred_at) with (autosummarize = on);

-- The newest event that was pruned: who asks for what follows an older one has missed some.
create table event_log (
  id boolean primary key default true check (id),
  forgotten_to bigint not null default 0
);
insert into event_log default values;

create function announce_events() returns trigger language plpgsql as $$
begin
  if exists (select from event_watchers) then
    perform announce(array_agg(distinct user_id), 'happened', null) from new_rows;
  end if;
  return null;
end $$;
create trigger events_inserted after insert on events
  referencing new table as new_rows for each statement execute function announce_events();
