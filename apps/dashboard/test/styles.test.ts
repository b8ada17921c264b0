/** The styles of the dashboard are one sheet in the end: a name that two files use is laid out by both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../src/style');
const COMMENT = /\/\*.*?\*\//gs;
/** A class alone, at the start of a line: the element's own style. Indented ones are in a condition. */
const OWN_CLASS = /^(\.[\w-]+)(?:,| \{)$/gm;

it('each class is laid out in one file', () => {
  const files = new Map<string, Set<string>>();
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.css'))) {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(COMMENT, '');
    for (const [, className] of text.matchAll(OWN_CLASS)) {
      files.set(className!, (files.get(className!) ?? new Set()).add(name));
    }
  }
  expect(files.size).toBeGreaterThan(100);
  expect([...files].filter(([, names]) => names.size > 1).map(([name, names]) => [name, ...names])).toEqual([]);
});
