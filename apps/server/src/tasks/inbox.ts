import { isStop, taskCatalogue, type TaskType } from '@berth/contract';
import { Batcher, LruCache, type Clock, type Logger } from '@berth/kit';
import { isRefused, type WritePipeline, type Store, type Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { Vault } from '../secrets/vault.ts';
import type { TaskClaims } from './claims.ts';
import type { TaskEnds } from './ends.ts';
import { handOver } from './hand-over.ts';
import { splitSecrets } from './payload.ts';
import { insertTasks, type InsertedTask, type NewTask } from './queries.ts';
import { makeWayForStops } from './stops.ts';

const MAX_TASKS_PER_BATCH = 256;

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
  wakeups: Pick<HostWakeups, 'wake' | 'findWaiting'>;
  claims: TaskClaims;
  ends: TaskEnds;
  clock: Clock;
  log: Logger;
}

interface Added {
  row: InsertedTask;
  /** Its host has it already. */
  isHandedOver: boolean;
}

/**
 * Accepts tasks: encrypts their secrets, inserts them (concurrent callers share one statement), and hands them over or
 * wakes their host.
 */
export class TaskInbox {
  readonly #parts: TaskInboxParts;
  readonly #writes: WritePipeline;
  readonly #batcher: Batcher<NewTask, Added>;
  /** The host that a terminal was last seen on: a hint which claims to ask for. */
  readonly #hosts = new LruCache();

  constructor(parts: TaskInboxParts) {
    this.#parts = parts;
    // To plan a claim takes a millisecond, twice as long as to run it, and whoever creates a task would wait for that.
    this.#writes = parts.db.createWritePipeline('durable', { keepsPlans: true });
    this.#batcher = new Batcher((tasks) => this.#insert(tasks), { maxItems: MAX_TASKS_PER_BATCH, isSplit: isRefused });
  }

  /** Returns once the task is durable; `created_at` is null where the terminal does not accept it. */
  async add(request: TaskRequest): Promise<InsertedTask> {
    const { row, isHandedOver } = await this.#batcher.add(this.toNewTask(request));
    if (row.created_at === null || isHandedOver) return row;
    if (isStop(request.type, request.payload)) await this.#makeWay(request.terminalId);
    if (row.host_id !== null) this.#parts.wakeups.wake([row.host_id]);
    return row;
  }

  async #insert(tasks: NewTask[]): Promise<Added[]> {
    const { wakeups, claims } = this.#parts;
    const hosts = new Set(tasks.flatMap(({ terminalId }) => this.#hosts.get(terminalId) ?? []));
    const waiting = [...hosts].flatMap((id) => wakeups.findWaiting(id) ?? []);
    const { rows, handedOver } =
      waiting.length > 0
        ? await handOver(this.#writes, claims, tasks, waiting)
        : { rows: await insertTasks(this.#writes, tasks), handedOver: undefined };
    rows.forEach((row, index) => this.#hosts.set(tasks[index]!.terminalId, row.host_id));
    return rows.map((row) => ({ row, isHandedOver: handedOver?.has(row.id) ?? false }));
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
