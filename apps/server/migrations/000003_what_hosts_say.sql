-- Which task a host uploaded a file for: a result names as its picture only what that very task uploaded. Null for users'
-- own uploads, and for pictures that are older than this.
alter table files add column task_id uuid;

-- Whether experts may trade, as the host last saw it; both null where nobody knows.
alter table terminals add column trading_allowed boolean, add column trading_reason text;
