/**
 * What hosts send of their breaches. Lines are counted by their host, so that one that is sent again is not written twice,
 * and are taken without a gap. A host can add to a breach of its own alone, and no more than the bounds allow; what goes
 * beyond them is counted, and need not be sent again.
 */
import {
  MAX_EVIDENCE_BYTES,
  MAX_EVIDENCE_LINE_BYTES,
  MAX_EVIDENCE_LINES,
  type ReportedEvidence,
} from '@berth/contract';
import { FairSemaphore, type Clock } from '@berth/kit';
import type { Store, Transaction } from '../../db/database.ts';
import { addLine, addLines, type NewLine } from './chain.ts';
import { findBreachFacts } from './facts.ts';
import { countEvidence, lockEvidence, writeEvidence, type EvidenceHead, type StoredLine } from './queries.ts';
import { toOpening } from './server-lines.ts';

/** Each holds a connection: the others are for everybody else. */
const CALLS = { places: 1, perOwner: 1, maxWaiting: 1_000 };
/** What a host may say within a day of the breaches of one user. What it says of others takes nothing of that. */
const MAX_DAY_BYTES = 32 * 1024 * 1024;
/** What a row costs beside its text. */
const LINE_BYTES = 300;
const MAX_BREACH_BYTES = MAX_EVIDENCE_BYTES + MAX_EVIDENCE_LINES * LINE_BYTES;

export interface SentEvidence {
  breach_id: string;
  /** By the host's clock. */
  sent_at: number;
  lines: ReportedEvidence[];
  is_complete: boolean;
}

/** JSON of an object that is short enough, as it is then written; undefined for anything else. */
const toBody = (text: string): object | undefined => {
  if (Buffer.byteLength(text) > MAX_EVIDENCE_LINE_BYTES) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
};

/** The lines that follow those that are there. */
const toFresh = (lines: readonly ReportedEvidence[], last: number): ReportedEvidence[] => {
  const fresh: ReportedEvidence[] = [];
  for (const line of lines) if (line.line === last + fresh.length + 1) fresh.push(line);
  return fresh;
};

/** Adds what there is room for. @returns the texts of what was added */
const addReported = (head: EvidenceHead, lines: readonly ReportedEvidence[], roomBytes: number): StoredLine[] => {
  const added: StoredLine[] = [];
  for (const { line, at, kind, body: text } of lines) {
    const bytes = Buffer.byteLength(text) + LINE_BYTES;
    const body = toBody(text);
    const hasRoom = line <= MAX_EVIDENCE_LINES && head.bytes + bytes <= roomBytes;
    head.host_line = line;
    if (!body || !hasRoom) {
      head.left_out += 1;
      continue;
    }
    const next = addLine({ n: head.lines, hash: head.hash }, { at: new Date(at), source: 'host', kind, body });
    Object.assign(head, { lines: next.end.n, hash: next.end.hash, bytes: head.bytes + bytes });
    added.push({ hostLine: line, text: next.text });
  }
  return added;
};

/** Adds the server's own lines. */
const addOwn = (head: EvidenceHead, lines: readonly NewLine[]): StoredLine[] => {
  const { texts, end } = addLines({ n: head.lines, hash: head.hash }, lines);
  Object.assign(head, { lines: end.n, hash: end.hash });
  return texts.map((text) => ({ hostLine: null, text }));
};

export class EvidenceIntake {
  readonly #parts: { db: Store; clock: Clock };
  readonly #slots = new FairSemaphore(CALLS);

  constructor(parts: { db: Store; clock: Clock }) {
    this.#parts = parts;
  }

  /** @returns the last line of the host that is taken, or does not count; null where it has no such breach */
  add(hostId: string, sent: SentEvidence): Promise<number | null> {
    return this.#slots.run(hostId, () => this.#parts.db.transaction((tx) => this.#take(tx, hostId, sent)));
  }

  async #take(tx: Transaction, hostId: string, sent: SentEvidence): Promise<number | null> {
    const head = await lockEvidence(tx, hostId, sent.breach_id);
    if (!head) return null;
    if (head.is_complete) return Math.max(head.host_line, sent.lines.at(-1)?.line ?? 0);
    const fresh = toFresh(sent.lines, head.host_line);
    const isComplete =
      sent.is_complete && fresh.length === sent.lines.filter(({ line }) => line > head.host_line).length;
    if (fresh.length === 0 && !isComplete) return head.host_line;
    const now = new Date(this.#parts.clock.now());
    const added: StoredLine[] = [];
    if (head.lines === 0) {
      const known = await findBreachFacts(tx, head.user_id, head.breach_id);
      if (!known) return null;
      const opening = { ...known, clockOffsetMs: sent.sent_at - now.getTime() };
      added.push(...addOwn(head, toOpening(known.facts, opening, now)));
    }
    const usedBytes = await countEvidence(tx, hostId, head.user_id);
    const roomBytes = Math.min(MAX_BREACH_BYTES, head.bytes + Math.max(0, MAX_DAY_BYTES - usedBytes));
    added.push(...addReported(head, fresh, roomBytes));
    head.is_complete = isComplete;
    await writeEvidence(tx, head, added);
    return head.host_line;
  }
}
