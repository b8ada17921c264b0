-- How often something that is limited was used, by all servers together, until the end of its minute. Unlogged: after a crash of
-- PostgreSQL each server goes on with what it counted itself.
create unlogged table rate_uses (
  -- The beginning of a SHA-256 of what is limited: no address of a person stands here.
  key bytea primary key,
  uses integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
