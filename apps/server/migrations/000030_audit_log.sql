-- Who did what: written in the transaction of each change, and never changed. user_id is whose log a row is in; rows
-- outlive users, tokens and targets, so they refer to none.
create table audit_log (
  id uuid primary key,
  at timestamptz not null,
  user_id uuid,
  actor_kind text not null,
  actor_user_id uuid,
  actor_token_id bigint,
  actor_session_id bigint,
  address text,
  action text not null,
  target_type text not null,
  target_id text,
  before jsonb,
  after jsonb,
  result text not null
);
create index audit_log_by_user on audit_log (user_id, id);
create index audit_log_by_actor on audit_log (actor_user_id, id);
create index audit_log_by_action on audit_log (action, id);
create index audit_log_by_target on audit_log (target_id, id);
-- Sign-ins that failed: no more than some are kept.
create index audit_log_refused on audit_log (user_id, id) where result = 'refused';

-- Only the removal of what is kept no longer says this, in its own transaction.
create function keep_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('berth.prunes_audit_log', true) = 'yes' then
    return old;
  end if;
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_kept before update or delete on audit_log for each row execute function keep_audit_log();
create trigger audit_log_not_emptied before truncate on audit_log for each statement execute function keep_audit_log();
