/**
 * Cursor pagination: page by page from the last row seen, so that rows that appear, vanish or stop matching in between
 * cause neither gaps nor duplicates. A cursor holds that row's position in the order, and a fingerprint of the list. It
 * is neither secret nor signed: all a forged one can do is start elsewhere in a list of the caller's own.
 */
import { createHash } from 'node:crypto';
import { FIRST_CURSOR, parseIsoDateTime, type RouteContract } from '@berth/contract';
import type { FastifyRequest } from 'fastify';
import { ValidationError } from '../../errors.ts';
import { isUuid } from '../../validation/uuid.ts';
import { toPageInput, type ListPage } from './pagination.ts';

/** Where a list goes on. @param beginning stands before its first item */
export const toAfter = <Beginning extends string | null>(
  after: string | undefined,
  beginning: Beginning,
): string | Beginning => {
  if (after === undefined || after === FIRST_CURSOR) return beginning;
  if (isUuid(after)) return after;
  throw ValidationError.of('after', 'The after field must be the id of an item.', `Begin with after=${FIRST_CURSOR}.`);
};

/** @param items one more than the page has, where there is more @param toId what the list is ordered by */
export const toPageBy = <Item>(items: readonly Item[], limit: number, toId: (item: Item) => string) => {
  const data = items.slice(0, limit);
  const last = data.at(-1);
  return { data, pagination: { per_page: limit, next_cursor: items.length > limit && last ? toId(last) : null } };
};

/** The same for items with an id. */
export const toPage = <Item extends { id: string }>(items: readonly Item[], limit: number) =>
  toPageBy(items, limit, ({ id }) => id);

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** What PostgreSQL accepts as a value of the kind. */
const forms = {
  time: (text: string) => TIMESTAMP.test(text) && parseIsoDateTime(text) !== undefined,
  uuid: isUuid,
  number: (text: string) => /^\d{1,18}$/.test(text),
  status: (text: string) => /^\d{1,4}$/.test(text),
  text: (text: string) => text.isWellFormed() && !text.includes('\0'),
};

/** The columns that a list is ordered by, with the form of their values. Together they are unique. */
export type ListOrder<Row> = Partial<Record<keyof Row & string, keyof typeof forms>>;

/** The usual order. */
export const newestFirst = { created_at: 'time', id: 'uuid' } as const;

interface ListInput {
  request: FastifyRequest;
  params: Record<string, string>;
  query: { page?: number; per_page?: number; after?: string };
}

/** Parameters that say how many rows, and from where, but not which. */
const PLACE = ['page', 'per_page', 'after', 'include'];

/** Identifies the list, its filters and its order. */
const toFingerprint = ({ url }: RouteContract, { params, query }: ListInput, columns: readonly string[]): string => {
  const asked = Object.entries(query).filter(([name]) => !PLACE.includes(name));
  const text = JSON.stringify([url, columns, params, asked.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
};

const parseCursor = (cursor: string): string[] => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts.filter((part) => typeof part === 'string') : [];
  } catch {
    return [];
  }
};

const HINT = `Begin again with after=${FIRST_CURSOR}; a cursor is good for the list, the filters and the order that it came with.`;

/**
 * Which rows of a list a request asks for.
 * @param perPage the page size where the query has none; defaults to that of its schema
 * @throws ValidationError for a cursor of another list, or one combined with a page
 */
export const readPageInput = <Row>(
  route: RouteContract,
  input: ListInput,
  order: ListOrder<Row>,
  perPage?: number,
): ListPage<Row> => {
  const columns = Object.keys(order) as (keyof Row & string)[];
  const fingerprint = toFingerprint(route, input, columns);
  const toCursor = (row: Row): string =>
    Buffer.from(JSON.stringify([fingerprint, ...columns.map((column) => String(row[column]))])).toString('base64url');
  const given = input.request.query as object;
  const { per_page: asked, ...rest } = input.query;
  const wanted = perPage === undefined || 'per_page' in given ? asked : perPage;
  const page = { ...toPageInput({ ...rest, ...(wanted === undefined ? {} : { per_page: wanted }) }), toCursor };
  if (!('after' in given)) return page;
  if ('page' in given)
    throw ValidationError.of('page', 'The page field must be missing when after is present.', 'Send one of the two.');
  const { after = '' } = input.query;
  if (after === FIRST_CURSOR) return { ...page, after: [] };
  const [origin, ...key] = parseCursor(after);
  const isWhole = key.length === columns.length && columns.every((column, index) => forms[order[column]!](key[index]!));
  if (origin !== fingerprint || !isWhole) throw ValidationError.of('after', 'The selected after is invalid.', HINT);
  return { ...page, after: key };
};
