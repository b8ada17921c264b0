/**
 * The agent's attempts whose end the server has not acknowledged. Pure: a fold over journal entries.
 *
 *   accepted ─▶ started ─▶ finished ─▶ acknowledged (forgotten)
 *
 * Entries are idempotent: applying one twice, or one of a forgotten attempt, changes nothing. Compaction relies on it.
 * An attempt is (task, fence); only the newest fence of a task is valid, so an older one is forgotten when it appears.
 */
import type { ReportedEnd } from '@berth/contract/values';
import type { AttemptKey } from '../server/server-calls.ts';

/**
 * An end with everything needed to report it later. `sealed`: its secrets, readable only with the host's credential.
 */
export type RecordedEnd = ReportedEnd & {
  sealed?: string;
  /** Unix milliseconds. */
  atMs: number;
};

export type AttemptEntry =
  | ({ kind: 'accepted'; type: number; terminalId: string } & AttemptKey)
  | ({ kind: 'started' } & AttemptKey)
  | ({ kind: 'finished'; end: RecordedEnd } & AttemptKey)
  | ({ kind: 'acknowledged' } & AttemptKey);

export interface Attempt extends AttemptKey {
  type: number;
  terminalId: string;
  isStarted: boolean;
  end?: RecordedEnd;
}

export class AttemptLedger {
  /** By task: its newest attempt. In the order in which they were accepted. */
  readonly #attempts = new Map<string, Attempt>();

  apply(entry: AttemptEntry): void {
    const known = this.#attempts.get(entry.taskId);
    if (entry.kind === 'accepted') {
      if (known && known.fence >= entry.fence) return;
      const { taskId, fence, type, terminalId } = entry;
      this.#attempts.delete(taskId);
      this.#attempts.set(taskId, { taskId, fence, type, terminalId, isStarted: false });
      return;
    }
    if (known?.fence !== entry.fence) return;
    if (entry.kind === 'started') known.isStarted = true;
    else if (entry.kind === 'finished') known.end ??= entry.end;
    else this.#attempts.delete(entry.taskId);
  }

  /** The attempt of the task that is not yet acknowledged, if any. */
  find(taskId: string): Attempt | undefined {
    return this.#attempts.get(taskId);
  }

  /** Every attempt whose end the server has not acknowledged, in the order of acceptance. */
  list(): Attempt[] {
    return [...this.#attempts.values()];
  }

  get size(): number {
    return this.#attempts.size;
  }

  /** The shortest history that results in the same ledger. */
  toEntries(): AttemptEntry[] {
    return this.list().flatMap(({ taskId, fence, type, terminalId, isStarted, end }) => [
      { kind: 'accepted', taskId, fence, type, terminalId },
      ...(isStarted ? [{ kind: 'started', taskId, fence } as const] : []),
      ...(end ? [{ kind: 'finished', taskId, fence, end } as const] : []),
    ]);
  }
}
