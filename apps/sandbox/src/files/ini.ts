import { assertNoLineEnd, toLines } from './text-file.ts';

/**
 * An INI text: sections of keys, both found without regard to case, order and unknown keys kept for writing back.
 * Keys before the first section are in the section named ''.
 */
export class Ini {
  readonly #sections = new Map<string, { name: string; entries: Map<string, { key: string; value: string }> }>();

  constructor(text = '') {
    let section = '';
    for (const line of toLines(text).map((raw) => raw.trim())) {
      const header = /^\[(.*)\]$/.exec(line);
      const separator = line.indexOf('=');
      if (header) section = header[1] ?? '';
      else if (separator > 0 && !line.startsWith(';')) {
        this.set(section, line.slice(0, separator).trim(), line.slice(separator + 1).trim());
      }
    }
  }

  get(section: string, key: string): string | undefined {
    return this.#sections.get(section.toLowerCase())?.entries.get(key.toLowerCase())?.value;
  }

  /**
   * Throws on a value (or name) with line breaks: the lines after the first would become keys, or sections, of their
   * own.
   */
  set(section: string, key: string, value: string): void {
    for (const text of [section, key, value]) assertNoLineEnd(text);
    const id = section.toLowerCase();
    const found = this.#sections.get(id) ?? {
      name: section,
      entries: new Map<string, { key: string; value: string }>(),
    };
    this.#sections.set(id, found);
    found.entries.set(key.toLowerCase(), { key, value });
  }

  toLines(): string[] {
    const flatFirst = [...this.#sections.values()].sort((a, b) => Number(a.name !== '') - Number(b.name !== ''));
    return flatFirst.flatMap(({ name, entries }) => [
      ...(name === '' ? [] : [`[${name}]`]),
      ...[...entries.values()].map(({ key, value }) => `${key}=${value}`),
    ]);
  }
}
