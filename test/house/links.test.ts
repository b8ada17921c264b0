/** No page is lost, and no link to a part of a page is broken. */
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

/** What is code is no link. */
const readProse = (path: string): string => readText(path).replace(/```[^]*?```|`[^`\n]*`/g, '``');

const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));

/** The anchor that GitHub and /docs give a heading. */
const toAnchor = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

it('links between pages lead from docs/README.md to every page', () => {
  const linked = [...readText('docs/README.md').matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) =>
    posix.join('docs', link),
  );
  const lost = pages.filter((path) => /^docs\/(?!decisions\/|README\.md$)/.test(path) && !linked.includes(path));
  expect(lost).toEqual([]);
});

it('links between pages lead to files that exist', () => {
  const files = listTrackedFiles();
  const folders = files.flatMap((path) =>
    path.split('/').map((_part, depth, parts) => parts.slice(0, depth).join('/')),
  );
  const targets = new Set([...files, ...folders]);
  const broken = pages.flatMap((path) =>
    [...readProse(path).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map(([, target = '']) => new URL(target, `file:///${path}`).pathname.slice(1).replace(/\/$/, ''))
      .filter((target) => !targets.has(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it('links between pages lead to a heading where they name one', () => {
  const anchors = new Map(
    pages.map((path) => [
      path,
      [...readText(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading)),
    ]),
  );
  const broken = pages.flatMap((path) =>
    [...readProse(path).matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, target = '', anchor = '']) => {
        const page = target === '' ? path : posix.join(posix.dirname(path), target);
        return !(anchors.get(page) ?? []).includes(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});
