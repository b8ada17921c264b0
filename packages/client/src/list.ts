/** Lists: a whole one, read page by page as it is gone through, or one page of it. */
import { BerthError } from './errors.ts';
import type { CursorPagination, Pagination } from './types.ts';

/** One page of a list, as the API returns it. */
export interface Page<Item> {
  /** Items of this page. */
  data: Item[];
  /** Where the page is in the list. */
  pagination: Pagination;
}

/** Where in the list, and how many items; the rest is the query of the list. */
interface Place {
  after: string;
  per_page: number;
  page: undefined;
}

type ReadPage<Item> = (place: Place) => Promise<{ data: Item[]; pagination?: Pagination | CursorPagination }>;

/** The cursor with which a list begins. */
const FIRST = 'start';
const PER_PAGE = 100;
const MAX_ITEMS = 10_000;

/** Null at the end, and where the list has one page only. */
const toNext = (pagination: Pagination | CursorPagination | undefined): string | null =>
  (pagination as CursorPagination | undefined)?.next_cursor ?? null;

/**
 * A whole list. Nothing is asked for until somebody goes through it; then one page at a time is held. It goes on after the
 * item that came last, so it may change what it goes through: nothing is left out, and nothing comes twice.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { name } of berth.projects.list()) console.log(name);
 * (await berth.projects.list({ search: 'nothing is called so' }).toArray()).length; // => 0
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item>;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  /** Goes through the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let after: string | null = FIRST; after !== null;) {
      const { data, pagination } = await this.#read({ after, per_page: PER_PAGE, page: undefined });
      yield* data;
      after = toNext(pagination);
    }
  }

  /**
   * All items at once.
   * @param max how many may be held; beyond it this throws
   */
  async toArray(max = MAX_ITEMS): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) {
      if (items.length === max) {
        throw new BerthError(`The list has more than ${max} items. Use "for await".`);
      }
      items.push(item);
    }
    return items;
  }
}
