-- The address of a webhook is often its secret: events no longer name it. Every reader of the log could see it.
update events set data = data - 'url' where type like 'security.webhook\_%' and data ? 'url';
