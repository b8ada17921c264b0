/** What a browser loads before it shows a page, as it was built: a page that grows beyond this fails here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '../dist');

interface Chunk {
  file: string;
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The files of these modules, and all that they import before they run. */
const listFiles = (names: readonly string[], known = new Set<string>()): Set<string> => {
  for (const name of names) {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the build has no ${name}: name the page's module as it is called now`);
    if (known.has(chunk.file)) continue;
    known.add(chunk.file);
    listFiles(chunk.imports ?? [], known);
  }
  return known;
};

const toKilobytes = (names: readonly string[]): number => {
  const sizes = [...listFiles(names)].map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
};

const frame = ['index.html', 'src/routes.tsx'];

test.each([
  { page: 'signing in', names: ['index.html', 'src/pages/sign-in/sign-in-pages.tsx'], limit: 105 },
  { page: 'the terminals', names: [...frame, 'src/pages/terminals/terminals-page.tsx'], limit: 173 },
])('the first load, gzipped JavaScript of $page is at most $limit kB', ({ names, limit }) => {
  const size = toKilobytes(names);
  expect(size).toBeGreaterThan(60);
  expect(size).toBeLessThanOrEqual(limit);
});

test('the style is one file of at most 20 kB, gzipped', () => {
  const styles = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'));
  expect(styles.length).toBe(1);
  expect(gzipSync(readFileSync(join(dist, 'assets', styles[0] ?? ''))).length).toBeLessThan(20_000);
});
