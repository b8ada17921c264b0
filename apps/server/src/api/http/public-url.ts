import type { FastifyRequest } from 'fastify';
import type { ServerConfig } from '../../config.ts';

/** A host name or address with an optional port; anything else in a `Host` header would end up in our links. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** A request line may hold an absolute URL; only the part after the host is ours. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

type UrlConfig = Pick<ServerConfig, 'publicUrl' | 'port'>;

const toRequestOrigin = (request: FastifyRequest, config: UrlConfig): string => {
  const host = request.headers.host ?? '';
  const { localPort = config.port } = request.socket;
  // Behind a trusted proxy, this is what its header says.
  const protocol = request.protocol === 'https' ? 'https' : 'http';
  const origin = `${protocol}://${host}`;
  // The pattern alone does not make a valid host: `1.2.3.4.5`, `[:::]` and `host:99999` are not.
  return HOST.test(host) && URL.canParse(origin) ? origin : `${protocol}://localhost:${localPort}`;
};

/** The absolute URL of a path of this service (default: of the request itself), as clients reach it. */
export const toPublicUrl = (request: FastifyRequest, config: UrlConfig, path: string = request.url): URL => {
  const base = config.publicUrl ?? toRequestOrigin(request, config);
  const local = path.replace(ORIGIN, '');
  return new URL(base + (local.startsWith('/') ? local : `/${local}`));
};

/** Builds the content URLs of files for the reader of an answer. */
export const createFileLinks =
  (request: FastifyRequest, config: UrlConfig) =>
  (fileId: string): string =>
    toPublicUrl(request, config, `/v1/my/files/${fileId}/content`).href;
