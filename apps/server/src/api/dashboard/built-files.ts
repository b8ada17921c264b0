import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a build may contain: a file of another kind is left out, so that nothing is served by a guess. */
const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** In the order of preference: the smallest first. The endings are those that the build gives. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

export type Encoding = (typeof encodings)[number]['name'];

export interface BuiltFile {
  type: string;
  content: Buffer;
  /** The same content, packed when it was built; fonts and images have none. */
  packed: readonly { encoding: Encoding; content: Buffer }[];
  etag: string;
}

export interface Dashboard {
  page: BuiltFile;
  /** By the name in the folder of assets, which holds a hash of the content. */
  assets: ReadonlyMap<string, BuiltFile>;
}

const toBuiltFile = (type: string, content: Buffer, packed: BuiltFile['packed'] = []): BuiltFile => ({
  type,
  content,
  packed,
  etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
});

const readPacked = (path: string): BuiltFile['packed'] =>
  encodings
    .filter(({ ending }) => existsSync(path + ending))
    .map(({ name, ending }) => ({ encoding: name, content: readFileSync(path + ending) }));

/**
 * Reads a built dashboard into memory: about a megabyte, whatever the number of readers. So a request only looks a name
 * up, no part of it becomes a path, and a build that replaces the files disturbs no page that is open.
 * @param prefix the path of the public address, '' at the root of a host: the page names its assets with it
 * @returns undefined when there is no build
 */
export const readDashboard = (folder: string, prefix: string): Dashboard | undefined => {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return undefined;
  const assetsFolder = join(folder, 'assets');
  const assets = new Map<string, BuiltFile>();
  for (const name of readdirSync(assetsFolder)) {
    const type = mediaTypes[name.split('.').at(-1) ?? ''];
    const path = join(assetsFolder, name);
    if (type !== undefined) assets.set(name, toBuiltFile(type, readFileSync(path), readPacked(path)));
  }
  const html = readFileSync(page, 'utf8').replaceAll('"./assets/', `"${prefix}/assets/`);
  return { page: toBuiltFile('text/html; charset=utf-8', Buffer.from(html)), assets };
};
