import type { StoredFile } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileContent } from '../../files/files.ts';
import { TEXT_TYPE } from '../../files/media-type.ts';

/** RFC 6266 with RFC 5987: a plain name for old clients, the exact one for all others. */
export const toContentDisposition = (name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
};

const toEtag = ({ sha256 }: StoredFile): string => `"${sha256}"`;

/** True when the reader has what the tag stands for. */
export const hasFreshTag = (request: FastifyRequest, etag: string): boolean =>
  (request.headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/**
 * Sends a file so that no browser ever renders it: as an attachment, of its own type, sniffing and scripts forbidden.
 * The answer is what a handler returns: Fastify sends a stream as it sends a buffer.
 */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, { file, content }: FileContent): Buffer => {
  reply
    .header('etag', toEtag(file))
    .header('cache-control', 'private, no-cache')
    .header('content-disposition', toContentDisposition(file.name))
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff');
  if (hasFreshTag(request, toEtag(file))) {
    content.destroy();
    reply.code(304);
    return Buffer.alloc(0);
  }
  reply.type(file.type === TEXT_TYPE ? `${TEXT_TYPE}; charset=utf-8` : file.type).header('content-length', file.size);
  return content as unknown as Buffer;
};
