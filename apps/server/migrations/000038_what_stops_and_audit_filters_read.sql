-- What would turn algo trading on and has not ended, which is little: a stop of all algo trading ends it.
create index tasks_turning_on on tasks (user_id)
  where finished_at is null and type = 12 and payload ->> 'allow_algo_trading' = '1';
-- The audit log by action and by the kind of who did it, newest first: the place of the index by action alone.
create index audit_log_by_action_and_kind on audit_log (action, actor_kind, id);
drop index audit_log_by_action;
