import type { Database, Queryable } from './database.ts';

/** Which rows of a list are asked for. */
export interface PageInput {
  page: number;
  per_page: number;
}

/** How many rows a page skips. */
export const toOffset = ({ page, per_page }: PageInput): number => (page - 1) * per_page;

/** Rows that a list may look at on the connection that all lists share: a fraction of a millisecond. */
export const MAX_SHARED_ROWS = 200;

interface Lists<Row> {
  list: (db: Queryable) => Promise<Row[]>;
  /** At most `atMost`; all of them where that is null. */
  count: (db: Queryable, atMost: number | null) => Promise<number>;
}

/**
 * A page of a list that an index has in its order, and how many rows there are. Where few rows are looked at, as in every
 * small account, on the connection that all lists share; where there are many, on the slow ones of their owner.
 */
export const readPage = async <Row>(
  db: Pick<Database, 'listsFor' | 'slowFor'>,
  ownerId: string,
  page: PageInput,
  { list, count }: Lists<Row>,
): Promise<{ data: Row[]; total: number }> => {
  const shared = db.listsFor(ownerId);
  const slow = db.slowFor(ownerId);
  const isNear = toOffset(page) + page.per_page <= MAX_SHARED_ROWS;
  const [data, few] = await Promise.all([list(isNear ? shared : slow), count(shared, MAX_SHARED_ROWS + 1)]);
  return { data, total: few <= MAX_SHARED_ROWS ? few : await count(slow, null) };
};
