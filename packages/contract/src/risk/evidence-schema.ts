/** The evidence of a breach: what hosts say of it, and what their owners read. */
import { AnyObject, OneOf, Timestamp, Type, type Static } from '../schema.ts';
import {
  evidenceSources,
  hostEvidenceKinds,
  MAX_EVIDENCE_LINE_BYTES,
  MAX_EVIDENCE_LINES_PER_CALL,
  serverEvidenceKinds,
} from './evidence-values.ts';

/** A line that a host has written down. */
export const ReportedEvidence = Type.Object({
  line: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Counts the lines of the breach, from 1' }),
  at: Type.Integer({ minimum: 0, maximum: 9_000_000_000_000, description: "Unix milliseconds, host's clock" }),
  kind: OneOf(hostEvidenceKinds),
  body: Type.String({
    maxLength: MAX_EVIDENCE_LINE_BYTES,
    description: `JSON of an object, as text of at most ${MAX_EVIDENCE_LINE_BYTES} bytes`,
  }),
});
export type ReportedEvidence = Static<typeof ReportedEvidence>;

export const ReportedEvidenceLines = Type.Array(ReportedEvidence, {
  maxItems: MAX_EVIDENCE_LINES_PER_CALL,
  description: 'In their order. Lines that the server has are passed over, and so is what follows a gap',
});

/** A line of the evidence of a breach. */
export const EvidenceLine = Type.Object({
  n: Type.Integer({ description: 'Counts the lines, from 1' }),
  at: Timestamp('By the clock of its source'),
  source: OneOf(evidenceSources),
  kind: OneOf([...new Set([...serverEvidenceKinds, ...hostEvidenceKinds])]),
  body: AnyObject('By its kind'),
  previous: Type.String({ description: 'Hash of the line before; empty in the first one' }),
  hash: Type.String({ description: 'SHA-256 of `previous`, a line feed, and the line without its hash' }),
});
/** A line of the evidence of a breach. */
export type EvidenceLine = Static<typeof EvidenceLine>;
