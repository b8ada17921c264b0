/** The pages at /docs: the files of the checkout, rendered, with a search, and nothing that runs. */
import { readFileSync } from 'node:fs';
import { useTestServer } from '@berth/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { PageSearch } from '../src/api/docs/pages/search.ts';

const server = useTestServer();

const read = async (path: string) => {
  const answer = await server.request('GET', path, { headers: { accept: 'text/html' } });
  return { ...answer, html: answer.bytes.toString() };
};

const listLinks = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);

/** Every page that can be reached from the first one. */
const walk = async (): Promise<Map<string, string>> => {
  const seen = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    const { status, html } = await read(path);
    expect([path, status]).toEqual([path, 200]);
    seen.set(path, html);
    const inner = listLinks(html).map((link) => link.split('#')[0]!);
    waiting.push(...inner.filter((link) => /^\/docs(\/|$)/.test(link) && !/^\/docs\/(api|images)|\.css$/.test(link)));
  }
  return seen;
};

describe('the pages', () => {
  let pages: Map<string, string>;
  beforeAll(async () => {
    pages = await walk();
  });

  test('the pages lead to one another, and all of their anchors are there', () => {
    expect(pages.size).toBeGreaterThan(40);
    const anchors = new Map(
      [...pages].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const broken = [...pages].flatMap(([from, html]) =>
      listLinks(html).filter((link) => {
        const [path = '', anchor] = link.split('#');
        return (
          anchor !== undefined && path !== '' && anchors.has(path) && !anchors.get(path)!.has(anchor) && from !== ''
        );
      }),
    );
    expect([...new Set(broken)]).toEqual([]);
  });

  test('the pages ask no other host for anything, and run nothing', () => {
    for (const [path, html] of pages) {
      expect([path, html.match(/<script|<style| style=| on\w+=|<iframe/)]).toEqual([path, null]);
      const loaded = [...html.matchAll(/<(?:img|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
      expect([path, loaded.filter((link) => !link.startsWith('/docs/'))]).toEqual([path, []]);
    }
  });

  test('the pages have a policy that allows only their style and images', async () => {
    const { headers } = await read('/docs/quickstart');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect((await read('/docs/page.css')).headers.get('content-type')).toContain('text/css');
  });

  test('the pages show their images, as the files are', async () => {
    const links = [...pages.values()].flatMap((html) =>
      [...html.matchAll(/<img src="([^"]+)"/g)].map(([, link = '']) => link),
    );
    expect(links).toContain('/docs/images/diagrams/task.svg');
    for (const link of new Set(links)) {
      const { status, bytes, headers } = await read(link);
      expect([link, status]).toEqual([link, 200]);
      expect(headers.get('content-security-policy')).toContain('sandbox');
      const path = new URL(`../../../docs/${link.slice('/docs/images/'.length)}`, import.meta.url);
      expect(bytes.equals(readFileSync(path))).toBe(true);
    }
  });

  test('the pages have an icon, so that no browser asks for one that is not there', async () => {
    for (const [path, html] of pages) {
      const icon = /<link rel="icon" href="([^"]+)"/.exec(html)?.[1];
      expect([path, icon]).toEqual([path, '/docs/images/images/mark.svg']);
    }
    const { status, headers } = await read('/docs/images/images/mark.svg');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test.each([
    '/docs/nothing',
    '/docs/..%2fpackage.json',
    '/docs/images/..%2f..%2fpackage.json',
    '/docs/README.md',
    '/docs/images/x',
  ])('%s is no page', async (path) => expect((await read(path)).status).toBe(404));
});

const search = (query: string) => read(`/docs/search?q=${encodeURIComponent(query)}`);

test('the search finds a code, a setting and words, those in headings first', async () => {
  expect((await search('E_SYMBOL')).html).toContain('href="/docs/troubleshooting#codes-of-failed-steps"');
  expect((await search('BERTH_TRUSTED_PROXIES')).html).toContain('href="/docs/configuration#network"');
  const [first] = /<li><a href="[^"]*"/.exec((await search('idempotency key')).html.split('class="found"')[1]!)!;
  expect(first).toMatch(/docs\//);
});

test('the search says when there is nothing, and shows what was asked as text', async () => {
  const { status, html } = await search('<b>x</b>"zzz');
  expect(status).toBe(200);
  expect(html).toContain('Nothing found for “&lt;b&gt;x&lt;/b&gt;&quot;zzz”');
  expect(html).not.toContain('<b>x');
});

test('a question of any length and kind is answered with a bounded page', async () => {
  expect((await search('e '.repeat(4000))).bytes.length).toBeLessThan(100_000);
  expect((await read('/docs/search')).status).toBe(200);
  expect((await read('/docs/search?q=a&q=b')).status).toBe(200);
});

test('the search reads the pages once and keeps what was found for the last 200 questions', () => {
  let reads = 0;
  const found = new PageSearch(() => {
    reads += 1;
    const section = { heading: 'Ships', anchor: 'ships', text: 'A ship lies in the harbour.' };
    return new Map([['/docs/ships', { title: 'Ships', html: '', sections: [section] }]]);
  });
  const first = found.find('Harbour ships');
  expect(first).toMatchObject([{ address: '/docs/ships#ships', excerpt: 'A ship lies in the harbour.' }]);
  expect(found.find(' harbour  SHIPS')).toBe(first);
  for (let count = 0; count < 200; count += 1) found.find(`question ${count}`);
  expect(found.find('harbour ships')).not.toBe(first);
  expect(reads).toBe(1);
});
