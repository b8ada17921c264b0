/**
 * Full-text search in the pages: all words must occur in one section; matches in headings come first. Anybody may
 * search, and a search blocks the event loop: so the pages are lower-cased once, and recent results are cached.
 */
import type { RenderedPage } from './markdown.ts';

export interface Finding {
  address: string;
  page: string;
  heading: string;
  /** The text around the first word. */
  excerpt: string;
}

const MAX_WORDS = 8;
export const MAX_FINDINGS = 30;
const AROUND = 90;
/** Some ten kilobytes each. */
const MAX_KEPT = 200;

interface Section {
  head: string;
  body: string;
  text: string;
  address: string;
  page: string;
  heading: string;
}

const toExcerpt = ({ text, body }: Section, word: string): string => {
  const at = body.indexOf(word);
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, Math.max(at, 0) + 2 * AROUND);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
};

const toSections = (pages: ReadonlyMap<string, RenderedPage>): Section[] =>
  [...pages].flatMap(([address, { title, sections }]) =>
    sections.map(({ heading, anchor, text }) => {
      const lower = { head: heading.toLowerCase(), body: text.toLowerCase() };
      return { ...lower, text, address: `${address}#${anchor}`, page: title, heading };
    }),
  );

const findIn = (sections: readonly Section[], words: readonly [string, ...string[]]): Finding[] =>
  sections
    .filter(({ head, body }) => words.every((word) => head.includes(word) || body.includes(word)))
    .map((section) => ({ section, rank: words.filter((word) => section.head.includes(word)).length }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_FINDINGS)
    .map(({ section }) => {
      const { address, page, heading } = section;
      return { address, page, heading, excerpt: toExcerpt(section, words[0]) };
    });

export class PageSearch {
  readonly #read: () => ReadonlyMap<string, RenderedPage>;
  /** By query, least recently used first. */
  readonly #found = new Map<string, readonly Finding[]>();
  #sections: Section[] | undefined;

  /** @param read returns the pages by URL; called once, for the first search */
  constructor(read: () => ReadonlyMap<string, RenderedPage>) {
    this.#read = read;
  }

  find(query: string): readonly Finding[] {
    const [first, ...rest] = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
    if (first === undefined) return [];
    const key = [first, ...rest].join(' ');
    this.#sections ??= toSections(this.#read());
    const found = this.#found.get(key) ?? findIn(this.#sections, [first, ...rest]);
    this.#found.delete(key);
    this.#found.set(key, found);
    if (this.#found.size > MAX_KEPT) this.#found.delete(this.#found.keys().next().value!);
    return found;
  }
}
