import type { AgentEvent } from '@berth/contract';
import { Wakeup } from './wakeup.ts';

/** An attempt's end may be up to this large on the wire; a report must stay below the server's body limit of 1 MiB. */
export const MAX_REPORT_BYTES = 960 * 1024;

interface Queued {
  key: string;
  event: AgentEvent;
  sizeBytes: number;
}

const toKey = (event: AgentEvent): string =>
  event.kind === 'terminal' ? `terminal ${event.terminal_id}` : `${event.kind} ${event.task_id} ${event.fence}`;

/**
 * Events that wait for the server, in the order in which they happened. Of a terminal's observations only the newest waits;
 * events of tasks are all kept (what must survive a crash stands in the journal).
 */
export class ReportOutbox {
  readonly filled = new Wakeup();
  readonly #queue = new Map<string, Queued>();

  push(event: AgentEvent): void {
    const key = toKey(event);
    this.#queue.delete(key);
    this.#queue.set(key, { key, event, sizeBytes: Buffer.byteLength(JSON.stringify(event)) });
    this.filled.wake();
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0;
  }

  /** The oldest events that fit into one report: at least one, unless the outbox is empty. They stay until settled. */
  peek(maxEvents: number): AgentEvent[] {
    const batch: AgentEvent[] = [];
    let sizeBytes = 0;
    for (const queued of this.#queue.values()) {
      sizeBytes += queued.sizeBytes + 1;
      if (batch.length === maxEvents || (batch.length > 0 && sizeBytes > MAX_REPORT_BYTES)) break;
      batch.push(queued.event);
    }
    return batch;
  }

  /** Forgets events that the server has answered; what replaced one of them in the meantime stays. */
  settle(events: AgentEvent[]): void {
    for (const event of events) {
      const key = toKey(event);
      if (this.#queue.get(key)?.event === event) this.#queue.delete(key);
    }
  }

  /** Forgets all events of an attempt that no longer counts. */
  drop(taskId: string, fence: number): void {
    for (const { key, event } of this.#queue.values()) {
      if (event.task_id === taskId && event.fence === fence) this.#queue.delete(key);
    }
  }
}
