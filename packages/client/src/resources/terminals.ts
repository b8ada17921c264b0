import { toUnexpected } from '../http/answer.ts';
import { toPath } from '../http/transport.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { TaskType, TerminalStatus } from '../types.ts';
import type {
  BulkCreation,
  BulkTaskName,
  CreatedTask,
  CreatedTerminal,
  NewTerminal,
  Samples,
  SamplesQuery,
  TaskPayloads,
  Terminal,
  TerminalChanges,
  TerminalCharts,
  TerminalCounts,
  TerminalFilter,
  TerminalInclude,
  TerminalItem,
  TerminalOverview,
  TerminalQuery,
  TerminalStatusName,
} from '../types.ts';
import { waitForTerminal, type WaitOptions } from '../waiting/terminal.ts';
import { toNumberList } from './names.ts';
import type { Content } from './files.ts';
import { Group } from './group.ts';

const TERMINALS = '/v1/my/trading/terminals';

/** What a task for many terminals is, and which of them it is for: `terminal_ids`, or all that match `filter`. */
export type BulkOrder<Name extends BulkTaskName> = { payload?: TaskPayloads[Name] | undefined } & (
  { terminal_ids: readonly string[] } | { filter: TerminalFilter }
);

/**
 * Trading terminals.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const created = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5001', password: 'trade-me' });
 * const terminal = await berth.terminals.waitFor(created.id, 'ACTIVE');
 * terminal.status_name; // => 'ACTIVE'
 * for await (const { name, status } of berth.terminals.list({ status: ['ACTIVE', 'STOPPED'] })) console.log(name, status);
 * await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { filter: {}, payload: { allow_algo_trading: 0 } });
 * await berth.terminals.delete(terminal.id);
 */
export class Terminals extends Group {
  /** All terminals that match; `include: 'details'` adds what is known of each at the moment. */
  list(query: TerminalQuery = {}, options?: CallOptions): List<TerminalItem> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page({ status, ...query }: TerminalQuery = {}, options?: CallOptions): Promise<Page<TerminalItem>> {
    const all = { ...query, status: toNumberList(TerminalStatus, status) };
    return this.transport.json({ method: 'GET', path: TERMINALS, query: all, options }, 'page');
  }

  /** How many terminals match, and how many of them have each status. */
  counts({ status, ...query }: TerminalFilter = {}, options?: CallOptions): Promise<TerminalCounts> {
    const all = { ...query, status: toNumberList(TerminalStatus, status) };
    return this.transport.data({ method: 'GET', path: `${TERMINALS}/counts`, query: all, options });
  }

  /** The last day of up to 100 terminals by the hour, and whether their experts may trade. */
  overview(ids: readonly string[], options?: CallOptions): Promise<TerminalOverview[]> {
    const query = { ids: ids.join() };
    return this.transport.data({ method: 'GET', path: `${TERMINALS}/overview`, query, options }, 'list');
  }

  /** Creates a terminal. It is deployed after the answer: `waitFor` tells when it is there. */
  create(body: NewTerminal, options?: CreateOptions): Promise<CreatedTerminal> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: TERMINALS, body, options });
  }

  /** One terminal; `include: 'details'` adds what is known of it at the moment. */
  get(id: string, query: TerminalInclude = {}, options?: CallOptions): Promise<Terminal> {
    return this.transport.data({ method: 'GET', path: toPath`/v1/my/trading/terminals/${id}`, query, options });
  }

  /** Renames a terminal, or moves it to another project. */
  update(id: string, body: TerminalChanges, options?: CallOptions): Promise<Terminal> {
    return this.transport.data({ method: 'PATCH', path: toPath`/v1/my/trading/terminals/${id}`, body, options });
  }

  /** Destroys a terminal, with everything that is on it. @returns its id */
  delete(id: string, options?: CallOptions): Promise<string> {
    return this.transport.data({ method: 'DELETE', path: toPath`/v1/my/trading/terminals/${id}`, options }, 'text');
  }

  /** The charts of a terminal and the experts on them, as its host saw them last. */
  charts(id: string, options?: CallOptions): Promise<TerminalCharts> {
    const path = toPath`/v1/my/trading/terminals/${id}/charts`;
    return this.transport.json({ method: 'GET', path, options }, 'list');
  }

  /** What was measured of a terminal: link, ping, memory, processor, disk. */
  samples(id: string, query: SamplesQuery = {}, options?: CallOptions): Promise<Samples> {
    const path = toPath`/v1/my/trading/terminals/${id}/samples`;
    return this.transport.data({ method: 'GET', path, query, options });
  }

  /**
   * The last picture of a terminal, as a small PNG; undefined where it is still the one whose `etag` you give.
   * @throws NotFoundError where there is none yet
   */
  async picture(id: string, options: CallOptions & { etag?: string | undefined } = {}): Promise<Content | undefined> {
    const path = toPath`/v1/my/trading/terminals/${id}/picture`;
    const known = options.etag === undefined ? {} : { 'if-none-match': options.etag };
    const answer = await this.transport.bytes({ method: 'GET', path, headers: known, options });
    if (answer.status === 304 && options.etag !== undefined) return undefined;
    const [etag, type] = [answer.headers.get('etag'), answer.headers.get('content-type')];
    if (!etag || type !== 'image/png') throw toUnexpected(answer, `GET ${path}`);
    return { bytes: answer.bytes, type, etag };
  }

  /** Takes a fresh picture; all who ask within ten seconds share one task. */
  freshPicture(id: string, options?: CreateOptions): Promise<CreatedTask> {
    const path = toPath`/v1/my/trading/terminals/${id}/picture`;
    return this.transport.data({ method: 'POST', post: 'keyed', path, options });
  }

  /**
   * Creates the same task on up to 500 terminals.
   * @returns an answer for each of them: `ok`, `task_id`, and `msg`, which says why not
   */
  bulkTasks<Name extends BulkTaskName>(
    type: Name,
    order: BulkOrder<Name>,
    options?: CreateOptions,
  ): Promise<BulkCreation[]> {
    const body: Record<string, unknown> = { ...order, type: TaskType[type] };
    if ('filter' in order) {
      body.filter = { ...order.filter, status: toNumberList(TerminalStatus, order.filter.status) };
    }
    const path = `${TERMINALS}/bulk/tasks`;
    return this.transport.data({ method: 'POST', post: 'keyed', path, body, options }, 'list');
  }

  /**
   * Waits until a terminal has the status, or one of them.
   * @throws TerminalStateError where it does not come to it by itself: its installation failed, the broker refused the login
   */
  waitFor(
    id: string,
    status: TerminalStatusName | readonly TerminalStatusName[],
    options: WaitOptions = {},
  ): Promise<Terminal> {
    return waitForTerminal({ read: (call) => this.get(id, {}, call), changes: this.changes }, id, status, options);
  }
}
