-- When `next_at` was computed. What a clock has computed that was ahead, and was set back since, is computed anew.
alter table schedules add column planned_at timestamptz not null default now();
update schedules set planned_at = greatest(updated_at, (last_run ->> 'at')::timestamptz);
create index schedules_by_plan on schedules (planned_at) where next_at is not null;
