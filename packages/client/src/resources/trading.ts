import type { ApiPromise } from '../http/api-promise.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type {
  AccountDeal,
  AccountOverview,
  AccountsPage,
  AccountsQuery,
  AllDealsPage,
  AllDealsQuery,
} from '../types.ts';
import { Group } from './group.ts';

/**
 * Money and deals of all terminals. Amounts are decimal strings, because a number cannot hold most of them exactly. Add
 * them as whole cents (`BigInt`) or with a package for decimal numbers, never with `Number`.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { data } = await berth.trading.overview();
 * for (const { currency, equity } of data.totals) console.log(currency, equity);
 * for await (const { terminal_id, symbol, profit } of berth.trading.deals()) console.log(terminal_id, symbol, profit);
 */
export class Trading extends Group {
  /** The money of up to 100 terminals, and the totals of all that match. */
  overview({ ids, ...query }: AccountsQuery = {}, options?: CallOptions): ApiPromise<AccountsPage> {
    return this.transport.json(
      () => ({
        method: 'GET',
        path: '/v1/my/trading/accounts/overview',
        query: { ...query, ids: ids?.join() },
        options,
      }),
      'anything',
    );
  }

  /** The money of all terminals that match. */
  accounts(query: Omit<AccountsQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<AccountOverview> {
    return new List(async ({ after, per_page }) => {
      const { data, pagination } = await this.overview({ ...query, after, per_page }, options);
      return { data: data.accounts, pagination };
    });
  }

  /** The deals of all terminals, oldest first. */
  deals(query: Omit<AllDealsQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<AccountDeal> {
    return new List(({ after, per_page }) => this.pageOfDeals({ ...query, after, per_page }, options));
  }

  /** One page of them. */
  pageOfDeals(query: AllDealsQuery = {}, options?: CallOptions): ApiPromise<AllDealsPage> {
    return this.transport.json({ method: 'GET', path: '/v1/my/deals', query, options }, 'anything');
  }
}
