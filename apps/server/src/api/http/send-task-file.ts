import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../../db/database.ts';
import { readSlices } from '../../files/files.ts';
import type { TaskFile } from '../../files/task-files.ts';

/** The requested start offset; 0 unless the range continues this very content. Other ranges are not supported. */
const toStart = ({ range, 'if-range': ifRange }: IncomingHttpHeaders, etag: string, sizeBytes: number): number => {
  const from = Number(/^bytes=(\d{1,12})-$/.exec(range ?? '')?.[1] ?? 0);
  return ifRange === etag && from < sizeBytes ? from : 0;
};

/** Sends a file to a host with its hash as a strong tag, resuming where an earlier answer broke off. */
export const sendTaskFile = (
  db: Queryable,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: TaskFile,
): Buffer => {
  const etag = `"${file.sha256}"`;
  const from = toStart(headers, etag, file.size);
  reply.headers({ etag, 'accept-ranges': 'bytes', 'content-length': file.size - from });
  if (from > 0) reply.code(206).header('content-range', `bytes ${from}-${file.size - 1}/${file.size}`);
  const content = Readable.from(readSlices(db, file.user_id, file, from), { objectMode: false });
  return reply.type('application/octet-stream').send(content) as unknown as Buffer;
};
