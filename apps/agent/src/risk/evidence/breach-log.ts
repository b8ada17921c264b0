/**
 * What is written down of one breach: in memory until it is on the disk, on the disk until the server has it. Lines are
 * counted from 1, across restarts. It is bounded; what the terminal shows gives way to what was decided and done. Nobody
 * waits for it: a line is noted at once, and written when the disk takes it.
 */
import type { ReportedEvidence } from '@berth/contract/agent';
import {
  MAX_EVIDENCE_BYTES,
  MAX_EVIDENCE_LINE_BYTES,
  MAX_EVIDENCE_LINES,
  type HostEvidenceKind,
} from '@berth/contract/values';
import type { EvidenceStore } from './evidence-store.ts';

/** The share of the bounds that what the terminal shows may take, and what else is no end. */
const SHARES: Partial<Record<HostEvidenceKind, number>> = { numbers: 0.75, end: 1, left_out: 1 };
const USUAL_SHARE = 0.98;

/** How far a log was written, as its file says. */
interface Written {
  lines: number;
  bodyBytes: number;
  sizeBytes: number;
  isClosed: boolean;
}

const parse = (text: string): ReportedEvidence | undefined => {
  try {
    return JSON.parse(text) as ReportedEvidence;
  } catch {
    return undefined;
  }
};

/** What of a file is whole: up to the first line that is unfinished, or that a disk has damaged. Pure. */
export const toWritten = (text: string): Written => {
  const written: Written = { lines: 0, bodyBytes: 0, sizeBytes: 0, isClosed: false };
  for (const part of text.split('\n').slice(0, -1)) {
    const line = parse(part);
    if (line?.line !== written.lines + 1) break;
    written.lines += 1;
    written.bodyBytes += Buffer.byteLength(line.body);
    written.sizeBytes += Buffer.byteLength(part) + 1;
    written.isClosed = line.kind === 'end';
  }
  return written;
};

export class BreachLog {
  readonly id: string;
  readonly #store: EvidenceStore;
  readonly #onFailure: (error: unknown) => void;
  /** Lines that are not on the disk, with their line feeds. */
  #waiting: string[] = [];
  #lines: number;
  #bodyBytes: number;
  #writtenLines: number;
  #sizeBytes: number;
  #leftOut = 0;
  #isClosed: boolean;
  #writing: Promise<void> | undefined;
  #acknowledged = 0;

  constructor(id: string, store: EvidenceStore, onFailure: (error: unknown) => void, written = toWritten('')) {
    this.id = id;
    this.#store = store;
    this.#onFailure = onFailure;
    this.#lines = this.#writtenLines = written.lines;
    this.#bodyBytes = written.bodyBytes;
    this.#sizeBytes = written.sizeBytes;
    this.#isClosed = written.isClosed;
  }

  /** Nothing is added any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All of it is at the server. */
  get isDelivered(): boolean {
    return this.#isClosed && this.#waiting.length === 0 && this.#acknowledged >= this.#lines;
  }

  /** Whether there are lines that the disk has not taken yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether there are lines on the disk that the server does not have, or that nobody knows whether it has. */
  get hasNews(): boolean {
    return this.#writtenLines > this.#acknowledged;
  }

  /** @param body JSON of an object */
  note(kind: HostEvidenceKind, body: string, atMs: number): void {
    if (this.#isClosed) return;
    if (kind === 'end' && this.#leftOut > 0) this.#add('left_out', JSON.stringify({ lines: this.#leftOut }), atMs);
    const bytes = Buffer.byteLength(body);
    const share = SHARES[kind] ?? USUAL_SHARE;
    // Two places are the end's.
    const hasRoom =
      kind === 'end' ||
      (this.#lines < share * MAX_EVIDENCE_LINES - 2 && this.#bodyBytes + bytes <= share * MAX_EVIDENCE_BYTES);
    if (!hasRoom || bytes > MAX_EVIDENCE_LINE_BYTES) this.#leftOut += 1;
    else this.#add(kind, body, atMs);
    this.#isClosed = kind === 'end';
  }

  #add(kind: HostEvidenceKind, body: string, atMs: number): void {
    this.#lines += 1;
    this.#bodyBytes += Buffer.byteLength(body);
    const line: ReportedEvidence = { line: this.#lines, at: Math.max(0, Math.round(atMs)), kind, body };
    this.#waiting.push(`${JSON.stringify(line)}\n`);
  }

  /** Writes what waits. Resolves when it is on the disk, or when the disk refuses it: then it waits on. Never rejects. */
  save(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      const text = batch.join('');
      this.#waiting = [];
      try {
        await this.#store.append(this.id, text, this.#sizeBytes);
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        this.#onFailure(error);
        return;
      }
      this.#sizeBytes += Buffer.byteLength(text);
      this.#writtenLines += batch.length;
    }
  }

  /** Lines on the disk that the server does not have, up to a number of them. */
  async readNews(limit: number): Promise<{ lines: ReportedEvidence[]; isComplete: boolean }> {
    const text = await this.#store.read(this.id);
    const lines = text
      .split('\n')
      .slice(this.#acknowledged, Math.min(this.#writtenLines, this.#acknowledged + limit))
      .flatMap((part) => parse(part) ?? []);
    const isComplete = this.#isClosed && this.#acknowledged + lines.length >= this.#lines;
    return { lines, isComplete };
  }

  /** @param lastLine the last one that the server has @returns whether those are more than before */
  noteDelivered(lastLine: number): boolean {
    const before = this.#acknowledged;
    this.#acknowledged = Math.min(lastLine, this.#writtenLines);
    return this.#acknowledged > before;
  }
}
