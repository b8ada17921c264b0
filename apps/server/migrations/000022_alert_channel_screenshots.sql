-- Whether the messages of a channel carry the last screenshot of the terminal that they are about.
alter table alert_channels add column with_screenshot boolean not null default false;

-- The file that a message carries. It is chosen at the first try, and stays the same after that.
alter table alert_messages add column screenshot_id uuid;
