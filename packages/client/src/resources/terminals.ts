import { toUnexpected } from '../http/response.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import { assertIds, toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type {
  AccountChanges,
  AccountHistory,
  AccountHistoryQuery,
  BulkCreation,
  BulkTaskName,
  CreatedTask,
  CreatedTerminal,
  Deal,
  DealPage,
  DealQuery,
  InitialBalance,
  MoveDestination,
  NewTerminal,
  NewTerminals,
  Samples,
  SamplesQuery,
  TagChanges,
  TaggedTerminals,
  Snapshot,
  Terminal,
  TerminalChanges,
  TerminalCharts,
  TerminalCounts,
  TerminalCreation,
  TerminalCountQuery,
  TerminalInclude,
  TerminalItem,
  TerminalMove,
  TerminalOverview,
  TerminalQuery,
  TerminalStatusName,
  TerminalWhy,
  TradingAccount,
  UnlockReason,
} from '../types.ts';
import { Batch } from '../waiting/batch.ts';
import { waitForTerminal, type Seen, type WaitOptions } from '../waiting/terminal.ts';
import { toBulkCall, type BulkRequest } from './many-terminals.ts';
import { toTerminalQuery } from './filters.ts';
import type { NamesOrNumbers } from './names.ts';
import { toWithWarnings, type WithWarnings } from './warnings.ts';
import type { Content } from './files.ts';
import { Group } from './group.ts';

const TERMINALS = '/v1/my/trading/terminals';

/**
 * Trading terminals.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const created = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5001', password: 'trade-me' });
 * const terminal = await berth.terminals.waitFor(created.id, 'ACTIVE');
 * terminal.status_name; // => 'ACTIVE'
 * for await (const { name, status } of berth.terminals.list({ status: ['ACTIVE', 'STOPPED'] })) console.log(name, status);
 * await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { all: true, payload: { allow_algo_trading: 0 } });
 * await berth.terminals.delete(terminal.id);
 */
export class Terminals extends Group {
  /** Page by page, as long as that takes fewer requests than reading each of them. */
  readonly #batch = new Batch<Seen>(async (ids, options) => {
    const found = new Map<string, Seen>();
    for (let page = 1; page <= ids.length; page += 1) {
      const { data, pagination } = await this.page({ page, per_page: 100 }, options);
      for (const item of data) if (ids.includes(item.id)) found.set(item.id, item);
      if (page >= pagination.last_page || pagination.last_page - page >= ids.length - found.size) break;
    }
    return found;
  });

  /** All terminals that match; `include: 'details'` adds what is known of each at the moment. */
  list(query: TerminalQuery = {}, options?: CallOptions): List<TerminalItem> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: TerminalQuery = {}, options?: CallOptions): ApiPromise<Page<TerminalItem>> {
    return this.transport.json(
      () => ({ method: 'GET', path: TERMINALS, query: toTerminalQuery(query), options }),
      'page',
    );
  }

  /** How many terminals match, and how many of them have each status; `include: 'choices'` adds their tags and servers. */
  counts(filter: TerminalCountQuery = {}, options?: CallOptions): ApiPromise<TerminalCounts> {
    return this.transport.data(() => ({
      method: 'GET',
      path: `${TERMINALS}/counts`,
      query: toTerminalQuery(filter),
      options,
    }));
  }

  /** The last day of up to 100 terminals by the hour, and whether their EAs may trade. */
  overview(ids: readonly string[], options?: CallOptions): ApiPromise<TerminalOverview[]> {
    return this.transport.data(
      () => ({ method: 'GET', path: `${TERMINALS}/overview`, query: { ids: ids.join() }, options }),
      'list',
    );
  }

  /**
   * Creates a terminal. It is deployed after the response: `waitFor` resolves when it is ready. `warnings` mentions
   * another terminal that uses the same account.
   */
  create(body: NewTerminal, options?: CreateOptions): ApiPromise<WithWarnings<CreatedTerminal>> {
    const query = { include: 'warnings' };
    return this.transport.json(
      { method: 'POST', post: 'keyed', path: TERMINALS, query, body, options },
      'object',
      toWithWarnings<CreatedTerminal>,
    );
  }

  /**
   * Creates up to 500 terminals: all of them, or none where one has errors. `dry_run` only checks them.
   * @returns one entry for each of them: its `terminal_id`, or its `errors` by field
   */
  createMany(body: NewTerminals, options?: CreateOptions): ApiPromise<TerminalCreation[]> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: `${TERMINALS}/bulk`, body, options }, 'list');
  }

  /** Adds tags to up to 500 terminals, or removes them. @returns how many have them as asked, and those with too many */
  tagMany(body: TagChanges, options?: CallOptions): ApiPromise<TaggedTerminals> {
    return this.transport.data({ method: 'POST', post: 'same', path: `${TERMINALS}/bulk/tags`, body, options });
  }

  /** One terminal; `include: 'details'` adds what is known of it at the moment. */
  get(id: string, query: TerminalInclude = {}, options?: CallOptions): ApiPromise<Terminal> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${id}`, query, options }));
  }

  /** Renames a terminal, moves it to another project, or labels it. */
  update(id: string, body: TerminalChanges, options?: CallOptions): ApiPromise<Terminal> {
    const path = () => toPath`/v1/my/trading/terminals/${id}`;
    return this.transport.data(() => ({ method: 'PATCH', path: path(), body, options }));
  }

  /**
   * Unlocks a terminal that a risk rule has locked; one that is not locked stays as it is. The token needs the ability
   * `risk`.
   * @param body `reason`: why; it is kept with the event `security.unlocked`. `reset_marks`: whether the rules that locked
   * it count from the next numbers on; an agent of before cannot do that (409 `agent_too_old`)
   */
  unlock(id: string, body: UnlockReason, options?: CallOptions): ApiPromise<Terminal> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/unlock`;
    return this.transport.data(() => ({ method: 'POST', post: 'same', path: path(), body, options }));
  }

  /** Destroys a terminal, with everything that is on it. @returns its id */
  delete(id: string, options?: CallOptions): ApiPromise<string> {
    const path = () => toPath`/v1/my/trading/terminals/${id}`;
    return this.transport.data(() => ({ method: 'DELETE', path: path(), options }), 'text');
  }

  /**
   * Moves a terminal to another host: of a region, or for operators one that they name. It is stopped first; `get` with
   * `include: 'details'` shows how far the `move` is.
   */
  move(id: string, body: MoveDestination, options?: CreateOptions): ApiPromise<TerminalMove> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/move`;
    return this.transport.data(() => ({ method: 'POST', post: 'keyed', path: path(), body, options }));
  }

  /** Why it is not running: the first thing that is wrong, and the next step. */
  why(id: string, options?: CallOptions): ApiPromise<TerminalWhy> {
    return this.transport.data(() => ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${id}/why`, options }));
  }

  /** The charts of a terminal and their EAs, as last reported by its host. */
  charts(id: string, options?: CallOptions): ApiPromise<TerminalCharts> {
    return this.transport.json(
      () => ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${id}/charts`, options }),
      'list',
    );
  }

  /** What a terminal was set up with after its last changes, and when you took a snapshot; newest first. */
  snapshots(id: string, options?: CallOptions): ApiPromise<Snapshot[]> {
    return this.transport.data(
      () => ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${id}/snapshots`, options }),
      'list',
    );
  }

  /** Keeps what the terminal is set up with now, until you delete that. `create` makes a terminal from it (`snapshot_id`). */
  takeSnapshot(id: string, options?: CreateOptions): ApiPromise<Snapshot> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/snapshots`;
    return this.transport.data(() => ({ method: 'POST', post: 'keyed', path: path(), options }));
  }

  /** Deletes a snapshot. */
  deleteSnapshot(id: string, snapshotId: string, options?: CallOptions): ApiPromise<void> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/snapshots/${snapshotId}`;
    return this.transport.done(() => ({ method: 'DELETE', path: path(), options }));
  }

  /**
   * The account of a terminal: money, positions, pending orders. Amounts are decimal strings: do not make numbers of them.
   * @throws NotFoundError (`no_account_data`) until something was reported
   */
  account(id: string, options?: CallOptions): ApiPromise<TradingAccount> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/account`;
    return this.transport.data(() => ({ method: 'GET', path: path(), options }));
  }

  /** Says what the account of a terminal began with; null: what is known of its first deposit. */
  updateAccount(id: string, body: AccountChanges, options?: CallOptions): ApiPromise<InitialBalance> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/account`;
    return this.transport.data(() => ({ method: 'PATCH', path: path(), body, options }));
  }

  /** Balance and equity of a terminal over time. */
  accountHistory(id: string, query: AccountHistoryQuery = {}, options?: CallOptions): ApiPromise<AccountHistory> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/account/history`;
    return this.transport.data(() => ({ method: 'GET', path: path(), query, options }));
  }

  /** All deals of a terminal's account, oldest first. */
  deals(id: string, query: Omit<DealQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<Deal> {
    return new List(({ after, per_page }) => this.pageOfDeals(id, { ...query, after, per_page }, options));
  }

  /** One page of them, after the deal whose ticket is given. */
  pageOfDeals(id: string, query: DealQuery = {}, options?: CallOptions): ApiPromise<DealPage> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/deals`;
    return this.transport.json(() => ({ method: 'GET', path: path(), query, options }), 'anything');
  }

  /** Measurements of a terminal: connection, ping, memory, CPU, disk. */
  samples(id: string, query: SamplesQuery = {}, options?: CallOptions): ApiPromise<Samples> {
    const path = () => toPath`/v1/my/trading/terminals/${id}/samples`;
    return this.transport.data(() => ({ method: 'GET', path: path(), query, options }));
  }

  /**
   * The last screenshot of a terminal, as a small PNG; undefined where it is still the one whose `etag` you give.
   * @throws NotFoundError where there is none yet
   */
  screenshot(
    id: string,
    options?: CallOptions & {
      /** The ETag of the screenshot that you already have. */
      etag?: string | undefined;
    },
  ): ApiPromise<Content | undefined> {
    const etag = options?.etag;
    const call = () => {
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      return { method: 'GET', path: toPath`/v1/my/trading/terminals/${id}/screenshot`, headers, options } as const;
    };
    return this.transport.bytes(call, (response, name) => {
      if (response.status === 304 && etag !== undefined) return undefined;
      const [now, type] = [response.headers.get('etag'), response.headers.get('content-type')];
      if (!now || type !== 'image/png') throw toUnexpected(response, name);
      return { bytes: response.bytes, type, etag: now };
    });
  }

  /** Takes a new screenshot; all requests within ten seconds share one task. */
  freshScreenshot(id: string, options?: CreateOptions): ApiPromise<CreatedTask> {
    return this.transport.data(() => ({
      method: 'POST',
      post: 'keyed',
      path: toPath`/v1/my/trading/terminals/${id}/screenshot`,
      options,
    }));
  }

  /**
   * Creates the same task on up to 500 terminals, as a run: `bulkRuns` lists it. `tasks.runOnMany` also waits for them.
   * @returns one entry for each of them: `ok`, `task_id`, and `msg`, which says why not
   * @throws ConflictError (`nothing_matched`) where no terminal matches; FilterError for a filter that is empty by mistake
   */
  bulkTasks<Name extends BulkTaskName>(
    type: Name,
    request: BulkRequest<Name>,
    options?: CreateOptions,
  ): ApiPromise<BulkCreation[]> {
    return this.transport.data(toBulkCall(type, request, options), 'list');
  }

  /**
   * Waits until a terminal has the status, or one of them.
   * @throws TerminalStateError where it does not come to it by itself: its installation failed, the broker refused the login
   */
  async waitFor(id: string, status: NamesOrNumbers<TerminalStatusName>, options?: WaitOptions): Promise<Terminal> {
    assertIds(id);
    const readAlone = (call: CallOptions): Promise<Terminal> => this.get(id, {}, call);
    const read = (signal: AbortSignal): Promise<Seen> => this.#batch.read(id, (_, call) => readAlone(call), signal);
    return waitForTerminal({ read, readAlone, changes: this.changes }, id, status, options ?? {});
  }
}
