/**
 * The ends of tasks: every one, whoever decided it, is announced and counted here, and counted only once it is
 * committed. A report, an expired lease, an hour in the queue, a user who cancels, a retired host: all of them go
 * through here.
 */
import type { TaskStatus, TaskType } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { Statement, Transaction } from '../db/database.ts';
import { recordEvents, type Occurrence } from '../events/record.ts';
import type { Metrics } from '../metrics/metrics.ts';

export interface EndedTask {
  id: string;
  user_id: string;
  terminal_id: string;
  type: TaskType;
  /** The final one. */
  status: TaskStatus;
  /** Of its last attempt; null where no host ever had it. */
  delivered_at: string | null;
}

export class TaskEnds {
  readonly #metrics: Pick<Metrics, 'taskEnded'>;
  readonly #clock: Clock;

  constructor(metrics: Pick<Metrics, 'taskEnded'>, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /**
   * Runs a statement that ends tasks without an attempt, and passes them to `note`.
   * @param isQuiet false: their owners are notified of those that failed
   */
  async end(tx: Transaction, statement: Statement, values: unknown[], { isQuiet = true } = {}): Promise<EndedTask[]> {
    const ended = await tx.query<EndedTask>(statement, values);
    await this.note(tx, ended, { isQuiet });
    return ended;
  }

  /** Announces their end, and counts them once the transaction is committed. */
  async note(tx: Transaction, ended: readonly EndedTask[], { isQuiet = false } = {}): Promise<void> {
    if (ended.length === 0) return;
    const toOccurrence = ({ id, user_id: userId, terminal_id: terminalId, type, status }: EndedTask): Occurrence => ({
      ...{ type: 'task.finished', userId, terminalId, isQuiet },
      data: { task_id: id, type, status },
    });
    await recordEvents(tx, ended.map(toOccurrence));
    tx.afterCommit(() => this.#count(ended));
  }

  #count(ended: readonly EndedTask[]): void {
    const now = this.#clock.now();
    for (const { type, status, delivered_at: deliveredAt } of ended) {
      const sinceMs = deliveredAt === null ? undefined : Math.max(0, now - Date.parse(deliveredAt));
      this.#metrics.taskEnded(type, status, sinceMs);
    }
  }
}
