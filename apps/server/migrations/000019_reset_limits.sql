-- How many codes for a new password were mailed to an address within an hour, and how often somebody tried one within a
-- quarter of an hour: strangers must neither fill a mailbox nor use up what its owner may try. Both are kept as hashes,
-- whether there is an account or not.
create table reset_mails (
  address_hash bytea primary key,
  mails smallint not null,
  ends_at timestamptz not null
);
create index reset_mails_by_end on reset_mails (ends_at);

create table reset_tries (
  address_hash bytea not null,
  caller_hash bytea not null,
  tries smallint not null,
  ends_at timestamptz not null,
  primary key (address_hash, caller_hash)
);
create index reset_tries_by_end on reset_tries (ends_at);
