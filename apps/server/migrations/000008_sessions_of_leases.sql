-- To which session of its host an attempt was handed out: it alone may get it once more, when the answer was lost. Null for
-- attempts that were handed out before, or by a server of an earlier release: those wait for their lease.
alter table task_leases add column session_id uuid;
