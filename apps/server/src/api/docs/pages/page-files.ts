/**
 * Which files of the checkout are pages, and their URLs. Requests are looked up by name; no path is built from them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Pages outside of docs/. */
const others: Record<string, string> = {
  'README.md': '/docs/about',
  'CHANGELOG.md': '/docs/changelog',
  'CONTRIBUTING.md': '/docs/contributing',
  'SECURITY.md': '/docs/security',
  'packages/client/README.md': '/docs/client',
};

const imageTypes: Record<string, string> = { png: 'image/png', svg: 'image/svg+xml', webp: 'image/webp' };

export interface PageFiles {
  /** Address → file, relative to the checkout. */
  pages: ReadonlyMap<string, string>;
  /** Address → file and media type. */
  images: ReadonlyMap<string, { path: string; type: string }>;
  /** The target of a link in this page: the URL of a page or image; undefined for what is not served. */
  findAddress(from: string, link: string): string | undefined;
  read(path: string): Buffer;
}

const toPageAddress = (path: string): string =>
  others[path] ?? `/${path.replace(/\.md$/, '').replace(/(^|\/)README$/, '')}`.replace(/\/$/, '');

/** @param checkout the folder that has docs/; without docs/ there are no pages */
export const listPageFiles = (checkout: string): PageFiles => {
  const folder = join(checkout, 'docs');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const inDocs = names.map((name) => posix.join('docs', name.replaceAll('\\', '/')));
  const roots = Object.keys(others).filter((path) => existsSync(join(checkout, path)));
  const files = [...inDocs.filter((path) => path.endsWith('.md')), ...(inDocs.length > 0 ? roots : [])].sort();
  const pages = new Map(files.map((path) => [toPageAddress(path), path]));
  const images = new Map(
    inDocs.flatMap((path) => {
      const type = imageTypes[path.split('.').at(-1) ?? ''];
      return type === undefined ? [] : [[`/docs/images/${path.slice('docs/'.length)}`, { path, type }] as const];
    }),
  );
  const addresses = new Map([
    ...[...pages].map(([address, path]) => [path, address] as const),
    ...[...images].map(([address, { path }]) => [path, address] as const),
  ]);
  const findAddress = (from: string, link: string): string | undefined => {
    const [target = '', anchor] = link.split('#');
    const path = target === '' ? from : posix.normalize(posix.join(posix.dirname(from), target));
    const address = addresses.get(path) ?? addresses.get(posix.join(path, 'README.md'));
    return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
  };
  return { pages, images, findAddress, read: (path) => readFileSync(join(checkout, path)) };
};
