/**
 * The chain of a breach's lines: each contains the hash of the one before, so a line that is missing, changed or in another
 * place shows. Whoever holds the database can compute it anew; whoever has an earlier export sees that.
 */
import { createHash } from 'node:crypto';
import type { EvidenceLine } from '@berth/contract';

export interface NewLine {
  at: Date;
  source: EvidenceLine['source'];
  kind: EvidenceLine['kind'];
  body: object;
}

/** How far a chain goes. */
export interface ChainEnd {
  n: number;
  hash: string;
}

export const BEGINNING: ChainEnd = { n: 0, hash: '' };

/** The next line, as text without a line feed, and the end that it is then. Pure. */
export const addLine = (
  { n, hash: previous }: ChainEnd,
  { at, source, kind, body }: NewLine,
): { text: string; end: ChainEnd } => {
  const line = JSON.stringify({ n: n + 1, at: at.toISOString(), source, kind, body, previous });
  const hash = createHash('sha256').update(`${previous}\n${line}`).digest('hex');
  // The hash comes last, so that a verifier need not write JSON anew: it cuts it off.
  return { text: `${line.slice(0, -1)},"hash":"${hash}"}`, end: { n: n + 1, hash } };
};

/** The next lines. Pure. */
export const addLines = (end: ChainEnd, lines: readonly NewLine[]): { texts: string[]; end: ChainEnd } => {
  const texts: string[] = [];
  for (const line of lines) {
    const added = addLine(end, line);
    texts.push(added.text);
    end = added.end;
  }
  return { texts, end };
};
