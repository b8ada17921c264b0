/** Lists: a whole one, read page by page as it is gone through, or one page of it. */
import { BerthError } from './errors.ts';
import type { Pagination } from './types.ts';

/** One page of a list, as the interface answers it. */
export interface Page<Item> {
  data: Item[];
  pagination: Pagination;
}

/** Which page, and how many items on it; the rest is the query of the list. */
interface Paged {
  page?: number | undefined;
  per_page?: number | undefined;
}

type ReadPage<Item> = (page: Paged) => Promise<{ data: Item[]; pagination?: Pagination }>;

const PER_PAGE = 100;
const MAX_ITEMS = 10_000;

/**
 * A whole list. Nothing is asked for until somebody goes through it; then one page at a time is held. An item that moves to
 * the next page meanwhile, because a new one came before it, is not given twice.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { name } of berth.projects.list()) console.log(name);
 * (await berth.projects.list({ search: 'nothing is called so' }).toArray()).length; // => 0
 */
export class List<Item extends { id: string | number }> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item>;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let before = new Set<string | number>();
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await this.#read({ page, per_page: PER_PAGE });
      for (const item of data) if (!before.has(item.id)) yield item;
      before = new Set(data.map(({ id }) => id));
      if (!pagination || data.length === 0 || page >= pagination.last_page) return;
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
        throw new BerthError(`The list has more than ${max} items. Go through it with "for await", or narrow it.`);
      }
      items.push(item);
    }
    return items;
  }
}
