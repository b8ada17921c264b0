-- A terminal whose owner chose no region: until it gets a place, region_id is only where it waits.
alter table terminals add column any_region boolean not null default false;
create index terminals_waiting_anywhere on terminals (platform, user_id, waiting_since, id)
  where any_region and waiting_since is not null and host_id is null and deleted_at is null;
-- Who is told of every host that is lost.
create index users_operators on users (created_at, id) where is_operator and deleted_at is null;
