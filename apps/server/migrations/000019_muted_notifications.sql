-- The kinds of notification that a user turned off.
alter table users add column muted_notifications text[] not null default '{}';
