import { taskCatalogue, TaskStatus, type AlertChannelKind, type TaskType } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { databaseGauges, type DatabaseGauges } from './database-gauges.ts';

/** The counts of the database are at most this old: several scrapers, or an eager one, cost no more than one. */
const GAUGE_TTL_MS = 5_000;

const TASK_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

const taskNames = new Map<number, string>(
  Object.entries(TaskStatus).map(([name, status]) => [status, name.toLowerCase()]),
);

/** What this process measures, and what the database holds. No label names a user, or an object of one. */
export class Metrics {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #registry = new Registry();
  readonly #taskDurations: Histogram;
  readonly #tasksEnded: Counter;
  readonly #gauges = new Map<string, Gauge>();
  readonly #alertMessages: Counter;
  #collected: { at: number; done: Promise<void> } | undefined;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const labelNames = ['type', 'outcome'];
    this.#tasksEnded = new Counter({
      name: 'berth_tasks_ended_total',
      help: 'Tasks that ended',
      labelNames,
      registers,
    });
    this.#taskDurations = new Histogram({
      name: 'berth_task_duration_seconds',
      help: 'Time from the last delivery of a task to its end',
      labelNames,
      buckets: TASK_BUCKETS_S,
      registers,
    });
    this.#alertMessages = new Counter({
      name: 'berth_alert_messages_total',
      help: 'Tries of messages of alerts, by the kind of their channel, and what came of them: sent, pending (tried again), failed',
      labelNames: ['channel', 'outcome'],
      registers,
    });
    for (const { helps, labelNames: labels } of databaseGauges) {
      for (const [name, help] of Object.entries(helps))
        this.#gauges.set(name, new Gauge({ name, help, labelNames: [...labels], registers }));
    }
  }

  /** Counts an ended task. @param durationMs since its last delivery; undefined where it had none */
  taskEnded(type: TaskType, outcome: TaskStatus, durationMs: number | undefined): void {
    const labels = { type: taskCatalogue[type].name, outcome: taskNames.get(outcome) ?? 'unknown' };
    this.#tasksEnded.inc(labels);
    if (durationMs !== undefined) this.#taskDurations.observe(labels, durationMs / 1000);
  }

  /** Counts a try of a message of an alert. */
  alertMessageTried(channel: AlertChannelKind, outcome: 'sent' | 'pending' | 'failed'): void {
    this.#alertMessages.inc({ channel, outcome });
  }

  /** A gauge of this process, read on each scrape: one value, or one for each value of a label. */
  addGauge(name: string, help: string, label: string | undefined, read: () => number | Record<string, number>): void {
    const collect = function (this: Gauge): void {
      const figures = read();
      if (typeof figures === 'number') this.set(figures);
      else for (const [value, figure] of Object.entries(figures)) this.set({ [label ?? '']: value }, figure);
    };
    const labelNames = label === undefined ? [] : [label];
    this.#registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect }));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything in Prometheus' text format. Without the database its gauges are missing; the rest is there. */
  async toText(): Promise<string> {
    const now = performance.now();
    if (!this.#collected || now - this.#collected.at >= GAUGE_TTL_MS) {
      this.#collected = { at: now, done: this.#collect() };
    }
    await this.#collected.done;
    return this.#registry.metrics();
  }

  async #collect(): Promise<void> {
    await Promise.all(databaseGauges.map((gauges) => this.#read(gauges)));
  }

  async #read({ helps, read }: DatabaseGauges): Promise<void> {
    for (const name of Object.keys(helps)) this.#gauges.get(name)?.reset();
    try {
      for (const [name, series] of Object.entries(await read(this.#db.slow)))
        for (const { labels, value } of series) this.#gauges.get(name)?.set(labels, value);
    } catch (error) {
      this.#log.warn({ err: error }, 'a gauge could not be read from the database');
    }
  }
}
