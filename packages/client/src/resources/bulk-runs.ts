import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { BulkRun, BulkRunItem, BulkRunItemsQuery, CreatableTaskName, PageQuery } from '../types.ts';
import { Group } from './group.ts';
import { toBulkBody, type BulkRequest } from './many-terminals.ts';

const RUNS = '/v1/my/trading/bulk-runs';

/**
 * Runs: the same task on any number of terminals, which the server creates and follows by itself.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5006', password: 'trade-me' });
 * const run = await berth.bulkRuns.create('MARKET_WATCH_SHOW_ALL', { terminal_ids: [id] });
 * for await (const { terminal_name, state, reason } of berth.bulkRuns.items(run.id)) console.log(terminal_name, state,
 * reason); await berth.terminals.delete(id);
 */
export class BulkRuns extends Group {
  /**
   * Begins a run on terminals that are named, that match a filter, or on all. TERMINAL_DESTROY deletes terminals
   * that are named.
   * @throws ConflictError (`nothing_matched`) where no terminal is meant; FilterError for a filter that is empty by mistake;
   * RefusedError (`run_limit`) where five runs on more than 500 terminals are open, or a hundred in all
   */
  create<Name extends CreatableTaskName>(
    type: Name,
    request: BulkRequest<Name>,
    options?: CreateOptions,
  ): ApiPromise<BulkRun> {
    return this.transport.data(() => ({
      method: 'POST',
      post: 'keyed',
      path: RUNS,
      body: toBulkBody(type, request),
      options,
    }));
  }

  /** All runs, newest first. Those that are over are kept for a week. */
  list(options?: CallOptions): List<BulkRun> {
    return new List((page) => this.page(page, options));
  }

  /** One page of them. */
  page(query: PageQuery = {}, options?: CallOptions): ApiPromise<Page<BulkRun>> {
    return this.transport.json({ method: 'GET', path: RUNS, query, options }, 'page');
  }

  /** The state of a run. It has ended when `finished_at` is set. */
  get(id: string, options?: CallOptions): ApiPromise<BulkRun> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/my/trading/bulk-runs/${id}`, options }));
  }

  /**
   * The outcome of a run on each terminal: failed, skipped and canceled ones come first. `warnings` says of a terminal
   * that was logged in that another one uses the same account.
   */
  items(id: string, query: Pick<BulkRunItemsQuery, 'state'> = {}, options?: CallOptions): List<BulkRunItem> {
    return new List((page) => this.itemsPage(id, { ...query, ...page }, options));
  }

  /** One page of that. */
  itemsPage(id: string, query: BulkRunItemsQuery = {}, options?: CallOptions): ApiPromise<Page<BulkRunItem>> {
    return this.transport.json(
      () => ({
        method: 'GET',
        path: toPath`/v1/my/trading/bulk-runs/${id}/items`,
        query: { include: 'warnings', ...query },
        options,
      }),
      'page',
    );
  }

  /** Cancels what no host has yet. @throws RefusedError where the run is over */
  cancel(id: string, options?: CallOptions): ApiPromise<BulkRun> {
    return this.transport.data(() => ({
      method: 'POST',
      path: toPath`/v1/my/trading/bulk-runs/${id}/cancel`,
      options,
    }));
  }

  /** Dismisses a run that is over; its tasks stay. @throws RefusedError where it is not over */
  dismiss(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/trading/bulk-runs/${id}`, options }));
  }
}
