import { MAX_COUNTED_ROWS } from '@berth/contract';
import type { Database, Queryable } from './database.ts';

/** The requested rows of a list. */
export interface PageInput {
  page: number;
  per_page: number;
  /**
   * Where a cursor continues: the values, in the order of the list's columns, of the last row seen; empty at the start.
   * Undefined where the list is read by page.
   */
  after?: readonly string[] | undefined;
}

/** How many rows a page skips. */
export const toOffset = ({ page, per_page, after }: PageInput): number => (after ? 0 : (page - 1) * per_page);

/** The values of `after` for a statement whose order has this many columns: nulls where there is none. */
export const toKey = ({ after = [] }: Pick<PageInput, 'after'>, columns: number): (string | null)[] =>
  Array.from({ length: columns }, (_, index) => after[index] ?? null);

/**
 * The condition with which a list `order by created_at desc, id desc` continues, for the two parameters from `first`.
 * With bounds instead of nulls, so that a generic plan still uses the index.
 */
export const isOlder = (first: number): string =>
  `(created_at, id) < (coalesce($${first}::timestamptz, 'infinity'),
     coalesce($${first + 1}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))`;

/** Above every row number. */
export const MAX_BIGINT = '9223372036854775807';
/** Below every row number. */
export const MIN_BIGINT = '-9223372036854775807';

/** How many rows a list may read on the connection that all lists share: a fraction of a millisecond. */
export const MAX_SHARED_ROWS = 200;

/** How far a bounded list is counted: one more than its total may say. */
export const COUNTED_ROWS = MAX_COUNTED_ROWS + 1;

/** The total of a bounded list, of which `COUNTED_ROWS` or all were counted. */
export const toBoundedTotal = (counted: number): { total: number; is_total_exact: boolean } => ({
  total: Math.min(counted, MAX_COUNTED_ROWS),
  is_total_exact: counted <= MAX_COUNTED_ROWS,
});

interface Lists<Row> {
  list: (db: Queryable) => Promise<Row[]>;
  /** At most `atMost`; all of them where that is null. */
  count: (db: Queryable, atMost: number | null) => Promise<number>;
  /** How far the list is counted: `COUNTED_ROWS`, or null for a list that is documented to count all. */
  counted: typeof COUNTED_ROWS | null;
}

/**
 * A page of a list that an index has in its order, and the total. Lists that read few rows, as in every small account,
 * run on the connection that all lists share; longer ones on their owner's slow connections.
 */
export const readPage = async <Row>(
  db: Pick<Database, 'listsFor' | 'slowFor'>,
  ownerId: string,
  page: PageInput,
  { list, count, counted }: Lists<Row>,
): Promise<{ data: Row[]; total: number }> => {
  const shared = db.listsFor(ownerId);
  const slow = db.slowFor(ownerId);
  const isNear = toOffset(page) + page.per_page <= MAX_SHARED_ROWS;
  if (page.after) return { data: await list(shared), total: 0 };
  const [data, few] = await Promise.all([list(isNear ? shared : slow), count(shared, MAX_SHARED_ROWS + 1)]);
  return { data, total: few <= MAX_SHARED_ROWS ? few : await count(slow, counted) };
};
