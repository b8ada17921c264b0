-- What becomes of a breach on its host, what happened to experts, and when a person took its lock back.
-- A breach of before is what `ended_at` says.
alter table risk_breaches
  add column phase text,
  add column experts json,
  add column released_at timestamptz;

-- Whether orders of a rule would be taken at a terminal, and what stands against them. Null: its agent does not say.
alter table risk_states
  add column can_act boolean,
  add column trade_denied_by text[];
