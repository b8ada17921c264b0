-- Invitations that a command on the server's machine created have no operator.
alter table invitations alter column created_by drop not null;
