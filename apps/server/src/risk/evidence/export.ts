/**
 * The evidence of a breach as its owner downloads it: the lines that are kept, as they were written, and behind them what
 * other tables say. So the chain goes on to the last line. A breach of which its host has sent nothing has the server's
 * lines alone.
 */
import type { Queryable } from '../../db/database.ts';
import { addLines, BEGINNING } from './chain.ts';
import { findBreachFacts, listBreachDeals } from './facts.ts';
import { findEvidence } from './queries.ts';
import { toClosing, toOpening } from './server-lines.ts';

/** Deals arrive a little later than what they were made by. */
const AFTER_MS = 60_000;

export interface EvidenceExport {
  /** Lines of JSON, each with its line feed. */
  text: string;
  /** Of the last line. */
  hash: string;
}

/** @returns undefined where the user has no such breach */
export const exportEvidence = async (
  db: Queryable,
  { userId, breachId, now }: { userId: string; breachId: string; now: Date },
): Promise<EvidenceExport | undefined> => {
  const known = await findBreachFacts(db, userId, breachId);
  if (!known) return undefined;
  const { facts, versions, dayAt } = known;
  const kept = await findEvidence(db, userId, breachId);
  const endMs = facts.ended_at === null ? now.getTime() : Date.parse(facts.ended_at);
  const { deals, isCut } = await listBreachDeals(db, facts, { from: dayAt, to: new Date(endMs + AFTER_MS) });
  const hasOpening = kept !== undefined && kept.head.lines > 0;
  const opening = hasOpening ? [] : toOpening(facts, { versions, dayAt, clockOffsetMs: null }, new Date(facts.at));
  const closing = toClosing(facts, { versions, dayAt, deals, areDealsCut: isCut, head: kept?.head }, now);
  // From where the kept lines are said to end, not from where they end: so a last line that is missing shows.
  const begin = kept ? { n: kept.head.lines, hash: kept.head.hash } : BEGINNING;
  const { texts, end } = addLines(begin, [...opening, ...closing]);
  return { text: [...(kept?.texts ?? []), ...texts].map((line) => `${line}\n`).join(''), hash: end.hash };
};
