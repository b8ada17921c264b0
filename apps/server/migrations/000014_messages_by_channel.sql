-- The first message of each channel is found without going through all that wait.
create index alert_messages_pending on alert_messages (channel_id, due_at, id) where status = 'pending';
