/** Finds words in the pages: all of them in one part of a page, those in headings first. */
import type { RenderedPage } from './markdown.ts';

export interface Finding {
  address: string;
  page: string;
  heading: string;
  /** What stands around the first word, in plain text. */
  excerpt: string;
}

const MAX_WORDS = 8;
export const MAX_FINDINGS = 30;
const AROUND = 90;

const toExcerpt = (text: string, word: string): string => {
  const at = text.toLowerCase().indexOf(word);
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, Math.max(at, 0) + 2 * AROUND);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
};

export const searchPages = (pages: ReadonlyMap<string, RenderedPage>, query: string): Finding[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const [first] = words;
  if (first === undefined) return [];
  const found = [...pages].flatMap(([address, { title, sections }]) =>
    sections.flatMap(({ heading, anchor, text }) => {
      const [head, body] = [heading.toLowerCase(), text.toLowerCase()];
      if (!words.every((word) => head.includes(word) || body.includes(word))) return [];
      const rank = words.filter((word) => head.includes(word)).length;
      const finding = { address: `${address}#${anchor}`, page: title, heading, excerpt: toExcerpt(text, first) };
      return [{ finding, rank }];
    }),
  );
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_FINDINGS)
    .map(({ finding }) => finding);
};
