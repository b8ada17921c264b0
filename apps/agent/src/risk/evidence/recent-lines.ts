import { EVIDENCE_WINDOW_MS, type HostEvidenceKind } from '@berth/contract/values';

/** What a terminal has shown: as text, which is the smallest that it can be kept as. */
export interface RecentLine {
  kind: HostEvidenceKind;
  /** By the wall clock. */
  atMs: number;
  body: string;
}

/** Four states per second, for a minute. */
const MAX_LINES = 240;

/** What one terminal has shown within the last minute. */
export class RecentLines {
  #lines: (RecentLine & { elapsedMs: number })[] = [];

  add(line: RecentLine, elapsedMs: number): void {
    this.#lines.push({ ...line, elapsedMs });
    // Not with each line: taking the first of many away moves all others.
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.list(elapsedMs);
  }

  /** Oldest first. */
  list(elapsedMs: number): (RecentLine & { elapsedMs: number })[] {
    return this.#lines.filter((line) => elapsedMs - line.elapsedMs <= EVIDENCE_WINDOW_MS).slice(-MAX_LINES);
  }
}
