import { Readable } from 'node:stream';
import type { StoredFile } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
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

/** True when the client has the content that the tag identifies. */
export const hasFreshTag = (request: FastifyRequest, etag: string): boolean =>
  (request.headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * The requested range; `none` where it cannot be satisfied. Undefined means the whole file: no range, several ranges
 * (nobody needs them, and many small ones would cost more than the file), or a range of a file that has changed.
 */
const findRange = (
  { method, headers }: FastifyRequest,
  etag: string,
  size: number,
): { from: number; end: number } | 'none' | undefined => {
  const match = RANGE.exec(headers.range ?? '');
  const condition = headers['if-range'];
  if (!match || method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  const [, first = '', last = '', suffix = ''] = match;
  const from = first === '' ? Math.max(0, size - Number(suffix)) : Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  // A range whose end is before its start is invalid.
  if (last !== '' && Number(last) < from) return undefined;
  return from < size ? { from, end } : 'none';
};

/**
 * Sends a file, or a part of it, so that no browser ever renders it: as an attachment, with its own type, with sniffing
 * and scripts forbidden. Return the result from the handler: Fastify sends a stream as it sends a buffer.
 */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, { file, open }: FileContent): Buffer => {
  const etag = toEtag(file);
  const isFresh = hasFreshTag(request, etag);
  const range = isFresh ? undefined : findRange(request, etag, file.size);
  if (range === 'none') {
    reply.header('content-range', `bytes */${file.size}`);
    throw new AppError('range_not_satisfiable');
  }
  reply
    .header('etag', etag)
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache')
    .header('content-disposition', toContentDisposition(file.name))
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff');
  if (isFresh) {
    reply.code(304);
    return Buffer.alloc(0);
  }
  const { from, end } = range ?? { from: 0, end: file.size };
  if (range) reply.code(206).header('content-range', `bytes ${from}-${end - 1}/${file.size}`);
  reply.type(file.type === TEXT_TYPE ? `${TEXT_TYPE}; charset=utf-8` : file.type).header('content-length', end - from);
  // Of what is not sent, nothing is read.
  return (request.method === 'HEAD' ? Readable.from([]) : open(from, end)) as unknown as Buffer;
};
