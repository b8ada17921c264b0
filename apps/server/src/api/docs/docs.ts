import helmet from '@fastify/helmet';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Limiter } from '../limits/rate-limits.ts';
import { createDocument } from './document.ts';
import { registerPages } from './pages/pages.ts';
import type { Json } from './plain-schema.ts';

/** Version of the API that the document describes. */
const INTERFACE_VERSION = '1.0.0';

/** Only this server's own files; the page sets styles from its script and has images inside its style sheet. */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

export interface DocsPlace {
  /** The folder that has docs/. */
  checkoutDir: string;
  publicUrl: string | undefined;
  limitSearch: Limiter;
}

interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

const toBlock = ({ lang, label, source }: CodeSample): string =>
  `**With ${label}**\n\n\`\`\`${lang.toLowerCase()}\n${source}\n\`\`\``;

const withSamples = (operation: Json): Json => {
  const samples = (operation['x-codeSamples'] ?? []) as CodeSample[];
  const described = operation.description === undefined ? [] : [operation.description as string];
  const description = [...described, ...samples.map(toBlock)].join('\n\n');
  return description === '' ? operation : { ...operation, description };
};

/**
 * The document as /docs/api shows it: Swagger UI shows descriptions and ignores `x-codeSamples`, so the samples are
 * copied into the descriptions. /openapi.json keeps them apart, because programs read it.
 */
const withShownSamples = (document: Json): Json => {
  const paths = Object.entries(document.paths as Record<string, Json>).map(([url, operations]) => [
    url,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, withSamples(operation as Json)]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
};

/**
 * `GET /openapi.json`; `/docs/api`, where it can be read and tried; and the pages at `/docs`. None of them needs
 * another site.
 */
export const registerDocs = async (
  app: FastifyInstance,
  { checkoutDir, publicUrl, limitSearch }: DocsPlace,
): Promise<void> => {
  const document = createDocument(INTERFACE_VERSION);
  const text = JSON.stringify(document);
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  // The plugin's types do not know 3.1 yet; it passes the document on unchanged.
  await app.register(swagger, {
    mode: 'static',
    specification: { document: withShownSamples(document) as unknown as StaticDocumentSpec['document'] },
  });
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  registerPages(app, { checkoutDir, prefix, limitSearch });
  await app.register(async (pages) => {
    await pages.register(helmet, { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
    await pages.register(swaggerUi, {
      routePrefix: '/docs/api',
      staticCSP: PAGE_POLICY,
      theme: { title: 'Berth' },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        deepLinking: true,
        tryItOutEnabled: false,
        defaultModelsExpandDepth: 0,
      },
    });
  });
};
