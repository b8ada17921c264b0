/** What the evidence of a breach is made of, without schemas. */

/** Who says a line. */
export const evidenceSources = ['server', 'host'] as const;

/**
 * What a host writes down: the rule as it applied it, what the rule had measured, what the terminal showed (a minute before
 * the decision and a minute after it), what was decided, what was done, and what came of it. `left_out`: lines that went
 * beyond a bound. `resumed`: the agent was started again.
 */
export const hostEvidenceKinds = [
  'rule',
  'marks',
  'numbers',
  'blind',
  'sees',
  'decision',
  'experts',
  'request',
  'switch',
  'action',
  'resumed',
  'left_out',
  'end',
] as const;
export type HostEvidenceKind = (typeof hostEvidenceKinds)[number];

/** What the server adds. */
export const serverEvidenceKinds = [
  'header',
  'rule',
  'rule_changed',
  'unlock',
  'cash',
  'deal',
  'left_out',
  'end',
] as const;
export type ServerEvidenceKind = (typeof serverEvidenceKinds)[number];

/** How long before and after a decision what the terminal shows is kept. */
export const EVIDENCE_WINDOW_MS = 60_000;

/** What a host may say of one breach. */
export const MAX_EVIDENCE_LINES = 1_000;
export const MAX_EVIDENCE_BYTES = 512 * 1024;
/** What one line may say, in bytes of JSON; and how many lines one call has. */
export const MAX_EVIDENCE_LINE_BYTES = 4_096;
export const MAX_EVIDENCE_LINES_PER_CALL = 100;
