/**
 * The pages of docs/ at `/docs`, rendered from the same files, with a search. No scripts, no inline styles, nothing
 * from another host. Each page is rendered once and cached: the number of pages bounds the memory, and a request is
 * only a lookup.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { cutText } from '@berth/contract';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { AppError } from '../../../errors.ts';
import type { Limiter } from '../../limits/rate-limits.ts';
import { renderMarkdown, type RenderedPage } from './markdown.ts';
import { PageSearch } from './search.ts';
import { STYLE, toFindings, toPage } from './shell.ts';

/** Pages outside of docs/. */
const others: Record<string, string> = {
  'README.md': '/docs/about',
  'CHANGELOG.md': '/docs/changelog',
  'CONTRIBUTING.md': '/docs/contributing',
  'SECURITY.md': '/docs/security',
  'packages/client/README.md': '/docs/client',
};

const imageTypes: Record<string, string> = { png: 'image/png', svg: 'image/svg+xml', webp: 'image/webp' };

interface PageFiles {
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
const listPageFiles = (checkout: string): PageFiles => {
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

const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An SVG contains its own style; opened on its own it may do nothing else. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const MAX_QUERY_CHARACTERS = 100;
/** The index of all pages, and its title in the header of each. */
const INDEX = '/docs';

class Pages {
  readonly #files: PageFiles;
  readonly #prefix: string;
  readonly #rendered = new Map<string, RenderedPage>();

  constructor(files: PageFiles, prefix: string) {
    this.#files = files;
    this.#prefix = prefix;
  }

  find(address: string): RenderedPage | undefined {
    const path = this.#files.pages.get(address);
    if (path === undefined) return undefined;
    const known = this.#rendered.get(address);
    if (known) return known;
    const toAddress = (link: string) => {
      const target = this.#files.findAddress(path, link);
      return target === undefined ? undefined : this.#prefix + target;
    };
    const rendered = renderMarkdown(this.#files.read(path).toString('utf8'), toAddress);
    this.#rendered.set(address, rendered);
    return rendered;
  }

  /** All of them, rendered. */
  all(): ReadonlyMap<string, RenderedPage> {
    const entries = [...this.#files.pages.keys()].map(
      (address) => [this.#prefix + address, this.find(address)!] as const,
    );
    return new Map(entries);
  }

  toHtml(title: string, content: string, query?: string): string {
    const index = this.find(INDEX)?.html ?? '';
    // The index is shown beside each page: its anchors would be duplicates there.
    const plain = index.replaceAll(/ id="[^"]*"/g, '');
    return toPage({ title, index: plain, content, prefix: this.#prefix, ...(query === undefined ? {} : { query }) });
  }
}

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);

export interface PagesPlace {
  /** The folder that has docs/. */
  checkoutDir: string;
  /** The path of the public URL, '' at the root of a host. */
  prefix: string;
  limitSearch: Limiter;
}

export const registerPages = (app: FastifyInstance, { checkoutDir, prefix, limitSearch }: PagesPlace): void => {
  const files = listPageFiles(checkoutDir);
  const pages = new Pages(files, prefix);
  const search = new PageSearch(() => pages.all());
  app.get('/docs/page.css', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', async (request, reply) => {
    await limitSearch(request, reply);
    const { q } = request.query;
    const query = typeof q === 'string' ? cutText(q, MAX_QUERY_CHARACTERS).trim() : '';
    const content = toFindings(query, search.find(query));
    return sendPage(reply, pages.toHtml('Search', content, query));
  });
  app.get<{ Params: { '*': string } }>('/docs/images/*', (request, reply) => {
    const image = files.images.get(`/docs/images/${request.params['*']}`);
    if (!image) throw new AppError('route_not_found');
    return reply
      .header('content-security-policy', IMAGE_POLICY)
      .header('cache-control', 'no-cache')
      .type(image.type)
      .send(files.read(image.path));
  });
  const answer = (address: string, reply: FastifyReply): FastifyReply => {
    const page = pages.find(address);
    if (!page) throw new AppError('route_not_found');
    return sendPage(reply, pages.toHtml(page.title, page.html));
  };
  app.get(INDEX, (_request, reply) => answer(INDEX, reply));
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) =>
    answer(`/docs/${request.params['*']}`.replace(/\/$/, ''), reply),
  );
};
