/** How the audit log is answered: by page, or as a file that is read while it is sent. */
import { Readable } from 'node:stream';
import {
  DEFAULT_PER_PAGE,
  MAX_EXPORTED_ENTRIES,
  parseIsoDateTime,
  type auditRoutes,
  type AuditEntry,
  type Static,
} from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditFilter } from '../../audit/entries.ts';
import { auditFormats, type AuditFormat } from '../../audit/formats.ts';
import { HIGHEST_ID, LOWEST_ID, toLowestId } from '../../db/ids.ts';
import { toEnvelope } from './envelope.ts';
import { toAfter, toPage } from './cursor.ts';
import { toContentDisposition } from './send-file.ts';

/** Rows that are in memory at once: a row has 9 kB at the most. */
const MAX_ENTRIES_PER_BATCH = 200;

type Answer = Static<typeof auditRoutes.listAuditLog.response>;
type Read = (filter: AuditFilter) => Promise<AuditEntry[]>;

/** The format that `Accept` names; without one, JSON. */
const findFormat = ({ headers: { accept = '' } }: FastifyRequest): AuditFormat | undefined => {
  const named = accept.split(',').map((part) => part.split(';')[0]!.trim().toLowerCase());
  return auditFormats.find(({ type }) => named.includes(type));
};

async function* readLines(read: Read, filter: AuditFilter, { head, toLine }: AuditFormat): AsyncGenerator<string> {
  if (head !== '') yield head;
  let { below } = filter;
  for (let count = 0; count < MAX_EXPORTED_ENTRIES; count += MAX_ENTRIES_PER_BATCH) {
    const rows = await read({ ...filter, below, limit: MAX_ENTRIES_PER_BATCH });
    if (rows.length > 0) yield rows.map(toLine).join('');
    if (rows.length < MAX_ENTRIES_PER_BATCH) return;
    below = rows.at(-1)!.id;
  }
}

const toTime = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : parseIsoDateTime(text);

interface AuditInput {
  query: Static<typeof auditRoutes.listAuditLog.query>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** @param read reads rows, newest first */
export const answerAuditLog = async (read: Read, { query, request, reply }: AuditInput): Promise<Answer> => {
  const { actor, actor_kind: actorKind, action, target, after, per_page: limit = DEFAULT_PER_PAGE } = query;
  const [from, to] = [toTime(query.from), toTime(query.to)];
  const end = to ? toLowestId(to) : HIGHEST_ID;
  const seen = toAfter(after, end).toLowerCase();
  const bounds = { lowest: from ? toLowestId(from) : LOWEST_ID, below: seen < end ? seen : end };
  const filter = { actor, actorKind, action, target, ...bounds };
  const format = findFormat(request);
  void reply.header('vary', 'Accept, Authorization, Cookie');
  if (!format) {
    const { data, pagination } = toPage(await read({ ...filter, limit: limit + 1 }), limit);
    return { ...toEnvelope('Audit log retrieved successfully.', data), pagination };
  }
  void reply
    .type(`${format.type}; charset=utf-8`)
    .header('content-disposition', toContentDisposition(`audit-log.${format.ending}`))
    .header('x-content-type-options', 'nosniff');
  const lines = request.method === 'HEAD' ? [] : readLines(read, { ...filter, limit: MAX_ENTRIES_PER_BATCH }, format);
  return Readable.from(lines, { objectMode: false }) as unknown as Answer;
};
