import type { AgentEvent } from '@berth/contract/agent';
import { type Timing, toBackoffMs, Wakeup } from '@berth/kit';

/** An attempt's end may be up to this large on the wire; a report must stay below the server's body limit of 1 MiB. */
export const MAX_REPORT_BYTES = 960 * 1024;

interface Queued {
  key: string;
  event: AgentEvent;
  sizeBytes: number;
  /** How often the server failed at it alone. */
  failures: number;
}

/** An event that the server fails at is retried on its own, first after 1 to 2 s, later on once per minute. */
const ASIDE_BACKOFF = { baseMs: 2_000, maxMs: 60_000 };

const toKey = (event: AgentEvent): string =>
  event.kind === 'terminal' ? `terminal ${event.terminal_id}` : `${event.kind} ${event.task_id} ${event.fence}`;

/**
 * Events that wait for the server, in the order in which they happened. Only the newest observation of a terminal is
 * kept; events of tasks are all kept (those that must survive a crash are in the journal). An event that the server
 * fails at is set aside, so that it does not hold up the others; it is never dropped without a verdict.
 */
export class ReportOutbox {
  readonly filled = new Wakeup();
  readonly #queue = new Map<string, Queued>();
  readonly #aside = new Map<string, Queued>();
  readonly #timing: Timing;
  readonly #closing = new AbortController();

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  push(event: AgentEvent): void {
    const key = toKey(event);
    this.#queue.delete(key);
    this.#aside.delete(key);
    this.#queue.set(key, { key, event, sizeBytes: Buffer.byteLength(JSON.stringify(event)), failures: 0 });
    this.filled.wake();
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0 && this.#aside.size === 0;
  }

  /** The oldest events that fit into one report: at least one, unless the outbox is empty. They stay until settled. */
  peek(maxEvents: number): AgentEvent[] {
    const batch: AgentEvent[] = [];
    let sizeBytes = 0;
    for (const queued of this.#queue.values()) {
      sizeBytes += queued.sizeBytes + 1;
      if (batch.length === maxEvents || (batch.length > 0 && sizeBytes > MAX_REPORT_BYTES)) break;
      // An event that the server failed at before is sent alone.
      if (batch.length > 0 && queued.failures > 0) break;
      batch.push(queued.event);
      if (queued.failures > 0) break;
    }
    return batch;
  }

  /** Sets an event aside at which the server failed; after a while it is queued again, behind the others. */
  setAside(event: AgentEvent): void {
    const key = toKey(event);
    const queued = this.#queue.get(key);
    if (queued?.event !== event) return;
    this.#queue.delete(key);
    const pauseMs = toBackoffMs(queued.failures, { ...ASIDE_BACKOFF, random: this.#timing.random });
    const waiting = { ...queued, failures: queued.failures + 1 };
    this.#aside.set(key, waiting);
    void this.#timing.sleep(pauseMs, this.#closing.signal).then(() => {
      if (this.#closing.signal.aborted || this.#aside.get(key) !== waiting) return;
      this.#aside.delete(key);
      this.#queue.set(key, waiting);
      this.filled.wake();
    });
  }

  /** Removes events that the server has answered; what replaced one of them in the meantime stays. */
  settle(events: AgentEvent[]): void {
    for (const event of events) {
      const key = toKey(event);
      if (this.#queue.get(key)?.event === event) this.#queue.delete(key);
      // Once an attempt's end is known, its start is irrelevant.
      if (event.task_id !== undefined && event.kind !== 'started') this.drop(event.task_id, event.fence ?? 0);
    }
  }

  /** Removes all events of an attempt that is no longer valid. */
  drop(taskId: string, fence: number): void {
    for (const events of [this.#queue, this.#aside]) {
      for (const { key, event } of events.values()) {
        if (event.task_id === taskId && event.fence === fence) events.delete(key);
      }
    }
  }

  /** Clears its timers. */
  close(): void {
    this.#closing.abort();
  }
}
