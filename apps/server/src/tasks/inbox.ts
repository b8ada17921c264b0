import { taskCatalogue, type TaskType } from '@berth/contract';
import { Batcher } from '@berth/kit';
import { v7 as createId } from 'uuid';
import { isRefused, type Store, type Transaction } from '../db/database.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { Vault } from '../secrets/vault.ts';
import { splitSecrets } from './payload.ts';
import { insertTasks, type InsertedTask, type NewTask } from './queries.ts';

const MAX_BATCH = 256;

export interface TaskOrder {
  userId: string;
  terminalId: string;
  type: TaskType;
  /** As `parsePayload` returned it. */
  payload: Record<string, unknown>;
  plannedAt?: Date | undefined;
  actor?: 'user' | 'service';
}

/** Takes tasks in: seals their secrets, inserts them (concurrent callers share one statement), wakes the host. */
export class TaskInbox {
  readonly #vault: Vault;
  readonly #wakeups: Pick<HostWakeups, 'wake'>;
  readonly #batcher: Batcher<NewTask, InsertedTask>;

  constructor(db: Store, vault: Vault, wakeups: Pick<HostWakeups, 'wake'>) {
    this.#vault = vault;
    this.#wakeups = wakeups;
    const lane = db.createLane('durable');
    this.#batcher = new Batcher((tasks) => insertTasks(lane, tasks), { maxItems: MAX_BATCH, isSplit: isRefused });
  }

  /** Answers once the task is durable, or with `created_at` null where the terminal does not admit it. */
  async add(order: TaskOrder): Promise<InsertedTask> {
    const inserted = await this.#batcher.add(this.toNewTask(order));
    if (inserted.created_at !== null) this.#wake(inserted);
    return inserted;
  }

  /** The same inside the caller's transaction; the host is woken after its commit. */
  async addWithin(tx: Transaction, order: TaskOrder): Promise<InsertedTask> {
    const [inserted] = await insertTasks(tx, [this.toNewTask(order)]);
    if (!inserted) throw new Error('an insert of one task answered no row');
    if (inserted.created_at !== null) tx.afterCommit(() => this.#wake(inserted));
    return inserted;
  }

  #wake({ host_id: hostId }: InsertedTask): void {
    if (hostId !== null) this.#wakeups.wake([hostId]);
  }

  toNewTask({ userId, terminalId, type, payload, plannedAt, actor = 'user' }: TaskOrder): NewTask {
    const id = createId();
    const { shown, secrets } = splitSecrets(taskCatalogue[type], payload);
    return {
      id,
      userId,
      terminalId,
      type,
      payload: shown,
      sealed: secrets ? this.#vault.seal(JSON.stringify(secrets), `tasks/${id}/secrets`) : null,
      chartId: typeof payload.chart_id === 'string' ? payload.chart_id : null,
      plannedAt: plannedAt?.toISOString() ?? null,
      actor,
    };
  }
}
