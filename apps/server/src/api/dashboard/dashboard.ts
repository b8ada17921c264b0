/**
 * The dashboard at `/`: a single page, served for every path that a browser navigates to and that belongs to nothing
 * else, so that the URL of a terminal can be bookmarked and shared; and its files below `/assets`, whose names change
 * with their content.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { CoreServices } from '../../services.ts';
import { hasFreshTag } from '../http/send-file.ts';

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

interface BuiltFile {
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
const readDashboard = (folder: string, prefix: string): Dashboard | undefined => {
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

/**
 * Only what this server serves may run, be shown or be requested; the page itself contains no inline script or style.
 * Positioned elements (menus, charts, long lists) set styles from scripts, which this allows. Images may also come from
 * memory (`blob:`), where a task's result is shown.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The page is fetched again each time: it names the files that belong together. */
const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

/** Different content has a different name. */
const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

/** The first is the default for clients without a preference (no `Accept`, or any type). */
const MEDIA_TYPES = ['application/json', 'text/html'];

/** First path segments that belong to others: what is not found there is answered as JSON, even to browsers. */
const othersPaths = new Set([
  'v1',
  'docs',
  'openapi.json',
  'metrics',
  'healthz',
  'readyz',
  'flags',
  'assets',
  'install',
]);

const NOT_BUILT = 'The dashboard is not built here. Run script/build on the server and start it again; /docs works.\n';

const isPagePath = (url: string): boolean => {
  const [path = '/'] = url.split('?');
  const [, first = '', ...others] = path.split('/');
  // A double slash, or a dot in the last segment, is not a page of ours: `//evil.example`, `/favicon.ico`,
  // `/index.html`.
  if (first === '') return others.length === 0;
  return !othersPaths.has(first) && !(others.at(-1) ?? first).includes('.');
};

/** Whether the client wants a page: a browser that navigates, judging by its `Accept`. */
const wantsPage = (request: FastifyRequest, reply: FastifyReply): boolean => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !isPagePath(request.url)) return false;
  reply.header('vary', 'Accept');
  return new Negotiator(request).mediaType(MEDIA_TYPES) === 'text/html';
};

const sendBuilt = (request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply => {
  const isPacked = file.packed.length > 0;
  reply.header('etag', file.etag);
  if (isPacked) reply.header('vary', reply.hasHeader('vary') ? 'Accept, Accept-Encoding' : 'Accept-Encoding');
  if (hasFreshTag(request, file.etag)) return reply.code(304).send();
  reply.type(file.type);
  const accepted = isPacked ? new Negotiator(request).encodings() : [];
  const packed = file.packed.find(({ encoding }) => accepted.includes(encoding));
  return packed ? reply.header('content-encoding', packed.encoding).send(packed.content) : reply.send(file.content);
};

type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/**
 * Serves the files of a built dashboard. Without a build the rest of the server works, and one line in the log says
 * what to do.
 * @param folder where the build is
 * @returns a handler that answers unclaimed paths where a page is wanted; otherwise it returns undefined, and sends
 *   nothing
 */
export const registerDashboard = (
  app: FastifyInstance,
  { config, log }: Pick<CoreServices, 'config' | 'log'>,
  folder: string,
): AnswerPage => {
  const prefix = config.publicUrl === undefined ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '');
  const dashboard = readDashboard(folder, prefix);
  if (!dashboard) log.warn({ folder }, 'the dashboard is not built: run script/build, then start the server again');
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const file = dashboard?.assets.get(request.params.name);
    if (!file) throw new AppError('route_not_found');
    return sendBuilt(request, reply.headers(assetHeaders), file);
  });
  return (request, reply) => {
    if (!wantsPage(request, reply)) return undefined;
    if (!dashboard) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
    return sendBuilt(request, reply.headers(pageHeaders), dashboard.page);
  };
};
