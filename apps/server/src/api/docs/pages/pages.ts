/**
 * The pages of docs/ at `/docs`, rendered from the same files, with a search. No scripts, no inline styles, nothing
 * from another host. Each page is rendered once and cached: the number of pages bounds the memory, and a request is
 * only a lookup.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { cutText } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import type { Limiter } from '../../limits/rate-limits.ts';
import { renderMarkdown, type RenderedPage } from './markdown.ts';
import { listPageFiles, type PageFiles } from './page-files.ts';
import { PageSearch } from './search.ts';
import { STYLE, toFindings, toPage } from './shell.ts';

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
