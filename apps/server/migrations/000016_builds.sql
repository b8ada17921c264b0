-- The build of a terminal, as it said last: terminals update themselves.
alter table terminal_loads add column build integer;
