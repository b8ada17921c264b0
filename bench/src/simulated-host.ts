/**
 * A host that speaks the real agent protocol and carries nothing out: it takes every task that it claims, and reports it
 * started and completed. Strict: "completed" is sent after "started" was acknowledged, so that each of the four states is
 * durable by itself. Coalesced: both in one report, as an agent does whose task ends at once.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HEARTBEAT_MS, MAX_CLAIM_WAIT_MS, MAX_REPORT_EVENTS } from '@berth/contract';
import { toProvenStep } from './tasks.ts';
import { Wire } from './wire.ts';

export type ReportMode = 'strict' | 'coalesced';

interface Delivered {
  id: string;
  fence: number;
}

interface Event extends Delivered {
  kind: 'started' | 'completed';
}

export interface SimulatedHostOptions {
  url: string;
  host: { id: string; bearer: string };
  slots: number;
  mode: ReportMode;
  /** Called when a task was delivered, before anything is reported. */
  onDelivered?: (taskId: string) => void | Promise<void>;
  /** Called when the end of a task is acknowledged. */
  onDone?: (taskId: string) => void;
}

export class SimulatedHost {
  readonly #options: SimulatedHostOptions;
  readonly #sessionId = randomUUID();
  readonly #wires: Record<'claim' | 'report' | 'heartbeat', Wire>;
  readonly #outbox: Event[] = [];
  #inHand = new Map<string, Delivered>();
  #isStopped = false;
  #isReporting = false;
  #slotFreed: () => void = () => undefined;
  failure: unknown;

  constructor(options: SimulatedHostOptions) {
    this.#options = options;
    const { url, host } = options;
    const toWire = () => new Wire(url, host.bearer);
    this.#wires = { claim: toWire(), report: toWire(), heartbeat: toWire() };
  }

  /** Requests that had to be sent again. */
  get repeats(): number {
    return Object.values(this.#wires).reduce((sum, { repeats }) => sum + repeats, 0);
  }

  /** Takes the host over and starts the loops. `beatAfterMs` spreads the heartbeats of many hosts. */
  async start(beatAfterMs = 0): Promise<void> {
    const body = { session_id: this.#sessionId, agent_version: 'bench', platforms: ['sandbox'] };
    await this.#wires.claim.post('/v1/agent/session', body);
    const note = (error: unknown) => {
      if (!this.#isStopped) this.failure = error;
    };
    this.#claim().catch(note);
    this.#beat(beatAfterMs).catch(note);
  }

  stop(): void {
    this.#isStopped = true;
    for (const wire of Object.values(this.#wires)) wire.close();
  }

  async #claim(): Promise<void> {
    const { slots, mode, onDelivered } = this.#options;
    while (!this.#isStopped) {
      const free = slots - this.#inHand.size;
      if (free === 0) {
        await new Promise<void>((resolve) => (this.#slotFreed = resolve));
        continue;
      }
      const wish = { slots: free, wait_ms: MAX_CLAIM_WAIT_MS, known: this.#listInHand() };
      const body = { session_id: this.#sessionId, ...wish };
      const { tasks } = await this.#wires.claim.post<{ tasks: Delivered[] }>('/v1/agent/claim', body);
      for (const { id, fence } of tasks) {
        await onDelivered?.(id);
        this.#inHand.set(id, { id, fence });
        this.#outbox.push({ kind: 'started', id, fence });
        if (mode === 'coalesced') this.#outbox.push({ kind: 'completed', id, fence });
      }
      if (tasks.length > 0) void this.#report();
    }
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      while (this.#outbox.length > 0 && !this.#isStopped) {
        const events = this.#outbox.splice(0, MAX_REPORT_EVENTS);
        const at = Date.now();
        const answered = events.map(({ kind, id, fence }) => {
          const event = { kind, at, task_id: id, fence };
          return kind === 'completed' ? { ...event, steps: [toProvenStep(at)] } : event;
        });
        await this.#wires.report.post('/v1/agent/report', { session_id: this.#sessionId, events: answered });
        for (const event of events) this.#settle(event);
      }
    } catch (error) {
      if (!this.#isStopped) this.failure = error;
    } finally {
      this.#isReporting = false;
    }
  }

  #settle({ kind, id, fence }: Event): void {
    if (kind === 'started') {
      if (this.#options.mode === 'strict') this.#outbox.push({ kind: 'completed', id, fence });
      return;
    }
    this.#inHand.delete(id);
    this.#slotFreed();
    this.#options.onDone?.(id);
  }

  #listInHand(): { task_id: string; fence: number }[] {
    return [...this.#inHand.values()].map(({ id, fence }) => ({ task_id: id, fence }));
  }

  async #beat(afterMs: number): Promise<void> {
    await delay(afterMs);
    while (!this.#isStopped) {
      const body = { session_id: this.#sessionId, tasks: this.#listInHand() };
      await this.#wires.heartbeat.post('/v1/agent/heartbeat', body);
      await delay(HEARTBEAT_MS);
    }
  }
}

/** Starts many, a few at a time. Their heartbeats are spread over the interval. */
export const startHosts = async (hosts: SimulatedHost[]): Promise<void> => {
  const width = 64;
  for (let index = 0; index < hosts.length; index += width) {
    const wave = hosts.slice(index, index + width);
    await Promise.all(wave.map((host, place) => host.start(((index + place) / hosts.length) * HEARTBEAT_MS)));
  }
};
