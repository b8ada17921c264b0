-- The index has all that a list of an account's tasks is counted and paged by, so that the rows of the table are not read: of a
-- million that took seconds, more than a statement may. Neither column of it ever changes.
create index tasks_of_user on tasks (user_id, type, seq desc) include (id);
drop index tasks_by_user;
alter index tasks_of_user rename to tasks_by_user;
