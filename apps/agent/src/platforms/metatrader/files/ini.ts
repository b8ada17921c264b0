import { isSingleLine } from '@berth/contract/values';
import { insertLines, splitLines, toContent, withContent } from './lines.ts';

const toSection = (line: string): string | undefined => /^\s*\[(.*)\]\s*$/.exec(toContent(line))?.[1]?.toLowerCase();

const toKey = (line: string): string | undefined => {
  const separator = line.indexOf('=');
  return separator > 0 && !line.trimStart().startsWith(';') ? line.slice(0, separator).trim().toLowerCase() : undefined;
};

const isKnown = (line: string): boolean =>
  toContent(line).trim() === '' ||
  line.includes('=') ||
  line.trimStart().startsWith(';') ||
  toSection(line) !== undefined;

/**
 * An INI text that is edited in place: everything else stays as it is, byte for byte. Section and key names are
 * case-insensitive. Keys before the first section belong to the section ''.
 */
export class IniText {
  readonly #lines: string[];

  constructor(text: string) {
    this.#lines = splitLines(text);
  }

  get(section: string, key: string): string | undefined {
    const line = this.#lines[this.#findKey(section, key)];
    return line?.slice(line.indexOf('=') + 1).trim();
  }

  /**
   * Throws on a value (or name) with line breaks: the lines after the first would become keys, or sections, of their
   * own.
   */
  set(section: string, key: string, value: string | number): void {
    const line = `${key}=${value}`;
    if (!isSingleLine(section + line)) throw new Error(`the value of ${JSON.stringify(key)} is not one line`);
    const at = this.#findKey(section, key);
    const former = this.#lines[at];
    if (former === undefined) this.#insert(section, line);
    else if (this.get(section, key) !== String(value).trim()) this.#lines[at] = withContent(former, line);
  }

  remove(section: string, key: string): void {
    const at = this.#findKey(section, key);
    if (at >= 0) this.#lines.splice(at, 1);
  }

  /** The names of the sections as written. */
  listSections(): string[] {
    return this.#lines.flatMap((line) => /^\s*\[(.*)\]\s*$/.exec(toContent(line))?.[1] ?? []);
  }

  /** Lines that are not blank, a comment, a section or a key. */
  listUnknownLines(): string[] {
    return this.#lines.filter((line) => !isKnown(line)).map(toContent);
  }

  toString(): string {
    return this.#lines.join('');
  }

  #findKey(section: string, key: string): number {
    let current = '';
    return this.#lines.findIndex((line) => {
      current = toSection(line) ?? current;
      return current === section.toLowerCase() && toKey(line) === key.toLowerCase();
    });
  }

  /** Adds the line at the end of its section, before trailing blank lines; creates the section if needed. */
  #insert(section: string, line: string): void {
    const start = section === '' ? -1 : this.#lines.findIndex((each) => toSection(each) === section.toLowerCase());
    if (section !== '' && start < 0) {
      insertLines(this.#lines, this.#lines.length, [`[${section}]`, line]);
      return;
    }
    let end = start + 1;
    while (end < this.#lines.length && toSection(this.#lines[end] ?? '') === undefined) end += 1;
    while (end > start + 1 && this.#lines[end - 1]?.trim() === '') end -= 1;
    insertLines(this.#lines, end, [line]);
  }
}
