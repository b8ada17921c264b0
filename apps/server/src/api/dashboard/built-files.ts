import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Media types that a build may contain. Files of other types are left out, so that no type is guessed. */
const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** In order of preference, smallest first. The extensions are those that the build writes. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

export type Encoding = (typeof encodings)[number]['name'];

export interface BuiltFile {
  type: string;
  content: Buffer;
  /** The same content, compressed by the build; fonts and images have none. */
  packed: readonly { encoding: Encoding; content: Buffer }[];
  etag: string;
}

export interface Dashboard {
  page: BuiltFile;
  /** By file name in the assets folder; the name holds a hash of the content. */
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
 * Reads a built dashboard into memory: about a megabyte, however many readers there are. A request is then only a
 * lookup by name: no part of it becomes a path, and a build that replaces the files does not disturb open pages.
 * @param prefix the path of the public URL, '' at the root of a host: the page refers to its assets with it
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
