import { isStop, taskCatalogue, type TaskType } from '@berth/contract';
import { Batcher, LruCache, type Clock, type Logger } from '@berth/kit';
import { isRefused, type Queryable, type Store, type Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import type { TaskEnds } from './ends.ts';
import { handOver } from './hand-over.ts';
import { splitSecrets } from './payload.ts';
import { insertTasks, type InsertedTask, type NewTask } from './queries.ts';
import { makeWayForStops } from './stops.ts';

const MAX_BATCH = 256;

export interface TaskRequest {
  userId: string;
  terminalId: string;
  type: TaskType;
  /** As `parsePayload` returned it. */
  payload: Record<string, unknown>;
  plannedAt?: Date | undefined;
  actor?: 'user' | 'service';
}

export interface TaskInboxParts {
  db: Store;
  vault: Vault;
  wakeups: Pick<HostWakeups, 'wake' | 'reserveClaim' | 'looked'>;
  ends: TaskEnds;
  clock: Clock;
  log: Logger;
  times: Times;
}

/**
 * Accepts tasks: encrypts their secrets, inserts them (concurrent callers share one statement), and hands them over or
 * wakes their host.
 */
export class TaskInbox {
  readonly #parts: TaskInboxParts;
  readonly #lane: Queryable;
  /** The host a terminal was last seen on. A hint: the statement checks where it really is. */
  readonly #hosts = new LruCache();
  readonly #batcher: Batcher<NewTask, InsertedTask>;

  constructor(parts: TaskInboxParts) {
    this.#parts = parts;
    this.#lane = parts.db.createLane('durable');
    this.#batcher = new Batcher((tasks) => this.#insert(tasks), { maxItems: MAX_BATCH, isSplit: isRefused });
  }

  /** Returns once the task is durable; `created_at` is null where the terminal does not accept it. */
  async add(request: TaskRequest): Promise<InsertedTask> {
    // A task that arrives while the host's claim is looking would be written now, and need a second look to be claimed:
    // it waits for the first look instead.
    const hostId = this.#hosts.get(request.terminalId);
    if (hostId !== undefined) await this.#parts.wakeups.looked(hostId);
    const inserted = await this.#batcher.add(this.toNewTask(request));
    if (inserted.created_at === null || inserted.is_handed_over === true) return inserted;
    if (isStop(request.type, request.payload)) await this.#makeWay(request.terminalId);
    this.#wake(inserted);
    return inserted;
  }

  /**
   * The same for many, by one statement inside the caller's transaction; the hosts are woken after its commit.
   * @returns one row per task, in the same order
   */
  async addAllWithin(tx: Transaction, requests: readonly TaskRequest[]): Promise<InsertedTask[]> {
    const rows = await insertTasks(
      tx,
      requests.map((request) => this.toNewTask(request)),
    );
    const stopped = requests.filter(({ type, payload }) => isStop(type, payload)).map(({ terminalId }) => terminalId);
    if (stopped.length > 0) await makeWayForStops(tx, this.#parts, stopped);
    const hosts = new Set(rows.flatMap((row) => (row.created_at === null ? [] : (row.host_id ?? []))));
    if (hosts.size > 0) tx.afterCommit(() => this.#parts.wakeups.wake([...hosts]));
    return rows;
  }

  /** The stop is there already: should this fail, the next tick of the scheduler does it. */
  async #makeWay(terminalId: string): Promise<void> {
    try {
      await this.#parts.db.transaction((tx) => makeWayForStops(tx, this.#parts, [terminalId]));
    } catch (error) {
      this.#parts.log.warn({ err: error, terminalId }, 'what runs could not be interrupted for a stop yet');
    }
  }

  #wake({ host_id: hostId }: InsertedTask): void {
    if (hostId !== null) this.#parts.wakeups.wake([hostId]);
  }

  async #insert(tasks: NewTask[]): Promise<InsertedTask[]> {
    const hosts = tasks.map(({ terminalId }) => this.#hosts.get(terminalId));
    const reservations = new Map(
      [...new Set(hosts)].map((id) => [id, id && this.#parts.wakeups.reserveClaim(id)] as const),
    );
    const claims = hosts.map((id) => reservations.get(id) || undefined);
    const rows = await (claims.every((reservation) => reservation === undefined)
      ? insertTasks(this.#lane, tasks)
      : handOver(this.#lane, tasks, claims, this.#parts));
    rows.forEach((row, index) => this.#hosts.set(tasks[index]!.terminalId, row.host_id));
    return rows;
  }

  toNewTask({ userId, terminalId, type, payload, plannedAt, actor = 'user' }: TaskRequest): NewTask {
    const id = createId();
    const { shown, secrets } = splitSecrets(taskCatalogue[type], payload);
    return {
      id,
      userId,
      terminalId,
      type,
      payload: shown,
      sealed: secrets ? this.#parts.vault.seal(JSON.stringify(secrets), `tasks/${id}/secrets`) : null,
      chartId: typeof payload.chart_id === 'string' ? payload.chart_id : null,
      plannedAt: plannedAt?.toISOString() ?? null,
      actor,
    };
  }
}
